"""Measures blocks: our own standard-cell model, one fixed recipe, figures as JSON."""
