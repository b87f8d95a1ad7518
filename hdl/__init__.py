"""Gateware: knows nothing of :mod:`dsnswitch.gen` or :mod:`dsnswitch.sim`."""
