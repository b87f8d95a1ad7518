"""Writes the sources of the documentation site: guide, a page per block, reference. ``make docs`` builds the site from them."""
