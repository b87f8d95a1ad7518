"""Gateware of the switch's datapath, in Amaranth. It imports nothing of :mod:`dsnswitch.gen` or :mod:`dsnswitch.sim`."""
