"""Routing of each topology, twice: in plain integers (:mod:`.relation`), then as gateware. One directory per topology."""
