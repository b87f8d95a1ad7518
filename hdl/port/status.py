"""The status of a fabric port: state of the link and counters."""

from amaranth.lib import data

from dsnswitch.hdl.line.line_format import hello_layout
from dsnswitch.hdl.port.session import DIFFERENCES

__all__ = ["COUNTERS", "status_layout"]

#: Counters of the status, which saturate.
COUNTERS = (
    "corrected",
    "uncorrectable",
    "bad_packets",
    "lost_packets",
    "refused_packets",
    "dropped_flits",
    "resumed",
    "retransmitted",
    "gave_up",
    "lost_credits",
    "restarts",
)


def status_layout(counter_width=32):
    """State of the link, the other end's hello, what differs in it, and the counters."""
    return data.StructLayout(
        {
            "state": 3,
            "mismatch": len(DIFFERENCES),
            "peer": hello_layout(),
            **dict.fromkeys(COUNTERS, counter_width),
        }
    )
