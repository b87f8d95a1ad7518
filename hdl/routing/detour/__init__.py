"""Detours of a DSN without tables: the alternative routes of D 4.2.4 around failed links, decided by each switch on its own.

A switch knows the state of its own links, the channel on which a packet came, and the few bits of :class:`Detour` in the
packet's header. In this table, pure files come before the gateware:

====================  =================================================================================
file                  contents
====================  =================================================================================
``header.py``         the header bits
``options.py``        options of a packet: the shortcut of the base routing, then its alternatives
``local_hop.py``      the local port toward an id, past links that are down
``turn_classes.py``   the virtual channel class, which alone bounds every route
``relation.py``       the decision of a switch, and the routing relation
``ring_levels.py``    gateware: the level of the base routing's next shortcut, for each dimension
``option_choice.py``  gateware: the options in parallel, and the first that the links allow
``local_detour.py``   gateware: the local port toward an id
``route.py``          gateware: the whole route logic
``walk.py``           the whole route of a packet through a network with failed links
====================  =================================================================================
"""
