"""Flits before the code has corrected them: the unit alone, compared with a model in every cycle."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.port.early import EarlyFlits

from ..compared import compare

VALUES = {"block": "fabric-port", "topology": "torus:5", "flit": 32, "packet": 5, "depth": 8}
VALUES |= {"channels": "dim0=2", "speculate": "on"}


class Early:
    """Whether the flit in the register has not been given yet."""

    def __init__(self, shape):
        self.channels, self.bits, self.waits, self.accepted = shape.channels, flit_layout(shape.core).size, False, 0

    def inputs(self, rng):
        channel, other = (1 << rng.randrange(self.channels) for _ in range(2))
        values = {"offers": rng.choice((0, channel, channel)), "takes": rng.choice((0, channel, channel, other))}
        values |= {name: rng.getrandbits(self.bits) for name in ("early", "flit")} | {"exact": rng.random() < 0.6}
        values["into"] = other if self.accepted else 0
        return values | {"accepts": (values["takes"] and values["exact"]) or rng.random() < 0.4}

    def cycle(self, offers, early, takes, exact, accepts, into, flit):
        counts = bool(offers & takes) and exact
        shown = {"valid": into if self.waits else offers, "offered": flit if self.waits else early}
        shown["confirmed"] = self.waits or counts
        # It is later if it was withdrawn, or if those before it are.
        self.waits, self.accepted = accepts and (self.waits or not counts), accepts
        return shown


def test_flits_count_early_or_in_the_next_cycle(simulate):
    shape = build(VALUES).shape
    compare(simulate, EarlyFlits(shape), lambda: Early(shape))
