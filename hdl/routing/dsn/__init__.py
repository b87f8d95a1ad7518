"""Routing of the DSN: the relation in plain integers, and table-free route logic that follows D Fig. 4.4 box by box.

The relation is in ``relation.py``, ``shortcut.py``, ``classes.py`` and ``local/``. This package imports nothing, so that
the relation can be used without Amaranth.

=====================  =============================================================  ===================
box of Fig. 4.4        component                                                      file
=====================  =============================================================  ===================
Distance               :class:`Distance`                                      ``ring/distance.py``
Direction (sign)       :class:`Direction`                                     ``ring/direction.py``
Jumping node           :class:`JumpNode`                                  ``jump_node.py``
Zero checker           :class:`ZeroChecker`                                   ``ring/zero_checker.py``
S-Routing of a ring    :class:`RingUnit`: the four above, per dimension   ``ring_unit.py``
L-Routing              :class:`LRouting`                                   ``lrouting.py``
Routing selection      :class:`Selection`                                 ``selection.py``
=====================  =============================================================  ===================

:class:`RingTerms` and :class:`LocalMap` compute the terms that depend on the switch's own address only.
Their logic is not on the path from a packet's address to the output port.
"""
