"""The route logic of each routing, as gates and as rules."""
