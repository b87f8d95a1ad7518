"""The link by formulas: error rates, and how long until a false packet is accepted."""
