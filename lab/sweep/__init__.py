"""Sweeps: curves of latency against load over lists of networks, routings and traffic, run on Dask and stored by their inputs."""
