"""The report: measures all blocks, plots the figures, and writes one page as Markdown and HTML."""
