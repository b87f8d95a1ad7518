"""The identity of latency at zero load: hops times the latency of a hop, and serialisation, to the cycle."""

from dsnswitch.net.messages import UsageError

__all__ = ["check"]

#: Difference of two means that are equal: results have six digits.
EXACT = 1e-5


def check(label, row):
    """The latency of a hop in cycles without cable, as measured: head latency per switch.

    Parameters
    ----------
    label : str
        Names the curve in errors.
    row : dict
        Result of a trace whose packets do not meet.

    Raises
    ------
    UsageError
        If the measured mean latency (tail, in the network) is not ``switches * hop + links * cable + flits - 1``, if a packet has
        waited in its source queue, or if the measured hop is not the core's.
    """
    zero, latency = row["zero_load"], row["latency"]
    switches, links = zero["switches"], zero["links"]
    hop = (latency["head"]["mean"] - links * zero["link_cycles"]) / switches
    tail = switches * zero["switch_cycles"] + links * zero["link_cycles"] + zero["serialisation"]
    for name, found, expected in (
        ("a hop takes", hop, zero["switch_cycles"]),
        ("the mean latency is", latency["tail"]["mean"], tail),
        ("with the source queue it is", latency["queued_tail"]["mean"], tail),
    ):
        if abs(found - expected) > EXACT:
            raise UsageError(f"{label}: at zero load {name} {found:.6f} cycles, not {expected:.6f}")
    return round(hop, 6)
