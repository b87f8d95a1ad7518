"""Base routing with registered straps: everything that depends on the switch's address alone is decoded into rows and registered.

A row has the answer for each coordinate of the destination. The packet's path is one selection per dimension, then the selection
of the phase. ``rows.py`` makes the rows, ``ring_unit.py`` and ``final_rows.py`` select in them, ``route.py`` is the whole logic.
"""
