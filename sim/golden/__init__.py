"""Independent model: topologies as graphs, routing by the papers' path-level definition. Imports parameters only."""
