"""What users measure with: synthesis, layouts, codes, sweeps of simulations, comparisons of networks."""
