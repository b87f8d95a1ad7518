"""Plans for an installation: growth of a network, its cabinets, cables and prices on a floor, pictures."""
