"""The whole evidence on one page: measure everything, plot it, write Markdown and HTML."""
