"""The selected link: light or strict, chosen while it runs."""
