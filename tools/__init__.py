"""What writes this repository's own pages: recorded figures, curves, statements, generated parts, site. Not in the wheel."""
