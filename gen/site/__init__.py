"""Sources of the documentation site: guide, a page for each block, reference. ``make docs`` builds the site of them."""
