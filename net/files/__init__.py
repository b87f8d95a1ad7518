"""Networks as users write them, and as files."""
