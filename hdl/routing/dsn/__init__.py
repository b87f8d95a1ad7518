"""Routing of the DSN: in plain integers, then table-free logic, D Fig. 4.4 box by box.

``relation.py`` (with ``shortcut.py``, ``classes.py`` and ``local/``) is pure: this package imports nothing, so that the relation
is available without Amaranth.

=====================  =============================================================  ===================
box of Fig. 4.4        component                                                      file
=====================  =============================================================  ===================
Distance               :class:`~..ring.Distance`                                      ``ring/distance.py``
Direction (sign)       :class:`~..ring.Direction`                                     ``ring/direction.py``
Jumping node           :class:`JumpNode`                                              ``jump_node.py``
Zero checker           :class:`~..ring.ZeroChecker`                                   ``ring/zero_checker.py``
S-Routing of a ring    :class:`RingUnit`: the four above, once for each dimension     ``ring_unit.py``
L-Routing              :class:`LRouting`                                              ``lrouting.py``
Routing selection      :class:`Selection`                                             ``selection.py``
=====================  =============================================================  ===================

What depends on the switch's own address alone is computed apart, in :class:`RingTerms` and :class:`LocalMap`; none of
its logic lies between a packet's address and the chosen port.
"""
