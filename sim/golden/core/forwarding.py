"""Model of forwarding: the answer of a switch with route logic and a table to one packet, as a list of rules."""

from collections import namedtuple
from enum import Enum

__all__ = ["Answer", "Reason", "forwarding"]


class Reason(Enum):
    """The rule that decides an answer."""

    DOES_NOT_EXIST = "the destination does not exist"
    DOES_NOT_EXIST_BY_TABLE = "the destination of a packet of the tables does not exist"
    ALGORITHM = "the algorithm's port"
    ALGORITHM_ARRIVED = "the algorithm: arrived"
    TABLE = "the table's port"
    TABLE_ARRIVED = "the table: arrived"
    FALLBACK = "the table's port, because the algorithm's is dead"
    MISS = "the table has no entry"
    NO_SUCH_PORT = "the table's action names no port"
    DEAD_PORT = "the table's port is dead"


#: Outputs of the block, ``port`` as a one-hot mask, and the :class:`Reason`.
Answer = namedtuple("Answer", "port arrived invalid no_route by_table reason")


def forwarding(ports, exists, hop, entry, *, by_packet, dead):
    """The :class:`Answer` to one packet.

    Parameters
    ----------
    ports : int
        Output ports of the switch.
    exists : bool
        Whether the destination exists.
    hop : int or None
        Output port by the route logic; None if the destination is this switch.
    entry : tuple of int, or None
        ``(action,)`` by the table; None on a miss.
    by_packet : bool
        The switch or the packet asks for the table.
    dead : int
        Mask of the dead ports.
    """
    if not exists:
        reason = Reason.DOES_NOT_EXIST_BY_TABLE if by_packet else Reason.DOES_NOT_EXIST
        return Answer(0, 0, 1, 0, int(by_packet), reason)
    if not by_packet:
        if hop is None:
            return Answer(0, 1, 0, 0, 0, Reason.ALGORITHM_ARRIVED)
        if not dead >> hop & 1:
            return Answer(1 << hop, 0, 0, 0, 0, Reason.ALGORITHM)
    if entry is None:
        return Answer(0, 0, 0, 1, 1, Reason.MISS)
    [action] = entry
    if action > ports:
        return Answer(0, 0, 0, 1, 1, Reason.NO_SUCH_PORT)
    if action == ports:
        return Answer(0, 1, 0, 0, 1, Reason.TABLE_ARRIVED)
    if dead >> action & 1:
        return Answer(0, 0, 0, 1, 1, Reason.DEAD_PORT)
    return Answer(1 << action, 0, 0, 0, 1, Reason.TABLE if by_packet else Reason.FALLBACK)
