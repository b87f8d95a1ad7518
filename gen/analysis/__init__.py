"""Figures that follow from a model: path statistics, error rates of links."""
