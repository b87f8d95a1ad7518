"""Small units that every other package of the gateware uses: gates, decoders, counters, connections."""
