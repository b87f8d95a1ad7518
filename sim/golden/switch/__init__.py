"""Models of a switch's decisions."""
