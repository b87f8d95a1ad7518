"""Golden model: independent models of everything that the gateware computes. It imports only parameters of networks.

Topologies are graphs, routing follows the papers' definition of whole paths, codes are linear algebra, a PCS works bit by bit.
"""
