"""Route logic whose network size is an input: one netlist for every size up to a maximum.

A ring of n supernodes with p levels is routed as one of 2^p, because the shortcut of level k is one of length 2^(p - k). So only
two things depend on the size: the terms of the ring, and which id owns the shortcut of each length. Both are static terms
(``terms.py``); ``ring_unit.py`` is the dynamic rest, and ``route.py`` the whole logic.
"""
