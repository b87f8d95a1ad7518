"""Models of routing: whole paths by the papers' algorithms."""
