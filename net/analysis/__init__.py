"""Analyses of models: statistics of paths, load of links, error rates of links."""
