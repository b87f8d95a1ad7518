"""Table-free routing logic of a DSN switch: D Fig. 4.4 box by box.

=====================  =============================================================  ===================
box of Fig. 4.4        component                                                      file
=====================  =============================================================  ===================
Distance               :class:`Distance`                                              ``distance.py``
Direction (sign)       :class:`Direction`                                             ``direction.py``
Jumping node           :class:`JumpNode`                                              ``jump_node.py``
Zero checker           :class:`ZeroChecker`                                           ``zero_checker.py``
S-Routing of a ring    :class:`RingUnit`: the four above, once for each dimension     ``ring_unit.py``
L-Routing              :class:`LRouting`                                              ``lrouting.py``
Routing selection      :class:`Selection`                                             ``selection.py``
=====================  =============================================================  ===================

What depends on the switch's own address alone is computed apart, in :class:`RingTerms` and :class:`LocalMap`; none of
its logic lies between a packet's address and the chosen port.
"""

from .direction import Direction
from .distance import Distance
from .jump_node import JumpNode
from .lrouting import LocalMap, LRouting
from .own import RingTerms, RingTermsSignature
from .ring_unit import RingUnit
from .route import RouteLogic
from .selection import Selection
from .zero_checker import ZeroChecker

__all__ = [
    "Direction",
    "Distance",
    "JumpNode",
    "LRouting",
    "LocalMap",
    "RingTerms",
    "RingTermsSignature",
    "RingUnit",
    "RouteLogic",
    "Selection",
    "ZeroChecker",
]
