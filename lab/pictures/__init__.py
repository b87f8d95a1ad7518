"""Pictures of the docs that are not plots: block diagrams, layouts of words, the symbols of blocks."""
