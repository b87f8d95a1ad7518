"""Models of topologies: networks as graphs, as the papers define them."""
