"""The fabric port is broken, one line at a time, and the bench notices."""

import pytest

from dsnswitch.hdl.fabric import line_encoder, transmitter
from dsnswitch.hdl.fabric.buffer_level import BufferLevel
from dsnswitch.hdl.fabric.line_decoder import LineDecoder
from dsnswitch.hdl.fabric.line_encoder import LineEncoder
from dsnswitch.hdl.fabric.lost_packets import LostPackets
from dsnswitch.hdl.fabric.receiver import Receiver
from dsnswitch.hdl.fabric.reports import Reports
from dsnswitch.hdl.fabric.session import Session
from dsnswitch.hdl.fabric.transmitter import Transmitter
from dsnswitch.sim.run import SimulationError

#: No codeword has three wrong bits, which may look like one.
NOISY = ("random_traffic", {"ber": 2e-3, "most": 2, "packets": 100})
RESETS = ("one_side_is_reset", {"packets": 25})
PULLED = ("cable_is_pulled", {"packets": 25})
LEGAL = ("line_is_legal", {"packets": 40})
WRONG = ("cable_in_the_wrong_port", {"packets": 10})

FULL = ("counts_are_urgent", {"stall": 0, "packets": 30, "least": 0.8, "values": {"packet": 33, "depth": 66}})

#: A mutant, and the bench that must fail.
MUTANTS = {
    "correction-of-one-bit-only": (LineDecoder, "elaborate", "plain ^ Cat(hits).any()", "plain ^ hits[0]", NOISY),
    "next-block-trusted": (Receiver, "elaborate", "(self.active & ~bad).replicate", "self.active.replicate", NOISY),
    "bad-blocks-pass": (Receiver, "elaborate", "(self.valid & ~line.bad).replicate", "self.valid.replicate", NOISY),
    "packets-stay-open": (
        Receiver,
        "_follow",
        "guard.breaks.eq(closes | was_open & ~self.active)",
        "guard.breaks.eq(0)",
        PULLED,
    ),
    "frame-ends-late": (Transmitter, "_control", "Mux(frame_open, TERMINATE", "Mux(0, TERMINATE", LEGAL),
    "resume-without-a-start": (Transmitter, "_control", 'kind["resume"] | kind["abort"]', 'kind["abort"]', LEGAL),
    "packet-not-resumed": (Transmitter, "elaborate", "(channel & frame).any() & ~self.urgent", "1", LEGAL),
    "tail-forgotten": (
        Transmitter,
        "elaborate",
        "sending & ~channel, sending | channel",
        "sending, sending | channel",
        RESETS,
    ),
    "header-mark-missing": (
        Receiver,
        "_flit_data",
        "bits[first:end] ^ (marks &",
        "bits[first:end] ^ (0 & marks &",
        LEGAL,
    ),
    "scrambler-stage-missing": (line_encoder, "_scrambled", "in (1, 2, 4)", "in (1, 2)", LEGAL),
    "state-not-summed": (LineEncoder, "elaborate", "^ before ^ _header(CONTROL)", "^ _header(CONTROL)", LEGAL),
    "link-check-missing": (
        transmitter,
        "_sums",
        "check_sums(LINK_CODE, _fields(values))",
        "Const(0, LINK_CODE.r)",
        LEGAL,
    ),
    "number-of-hello-counts": (LostPackets, "elaborate", "& (self.link.kind != Kind.HELLO)", "", RESETS),
    "fresh-ignored": (LostPackets, "elaborate", "& ~(self.begins & self.fresh)", "", RESETS),
    "lost-flits-not-freed": (
        BufferLevel,
        "elaborate",
        "corrects.eq(self.update & self.active)",
        "corrects.eq(0)",
        NOISY,
    ),
    "peer-not-checked": (Session, "elaborate", "agrees.eq(is_hello & ~differs.any())", "agrees.eq(is_hello)", WRONG),
    "restart-of-peer-ignored": (
        Session,
        "elaborate",
        "(differs.any() | ~self.link.seen & heard)",
        "differs.any()",
        RESETS,
    ),
    "never-loses-patience": (Session, "elaborate", "(idle == self._patience)", "0", ("peer_is_stuck", {"packets": 1})),
    "never-urgent": (
        Reports,
        "_hurry",
        "many.any() & self.active | waited[-1] | pair",
        "0",
        FULL,
    ),
}
QUICK = ("next-block-trusted", "frame-ends-late")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.regress) for name in MUTANTS]
)
def test_broken_port_is_noticed(joined, mutate, name):
    *mutant, (test, parameters) = MUTANTS[name]
    mutate(*mutant)
    with pytest.raises(SimulationError, match="AssertionError"):
        joined([test], f"-{name}", **parameters)
