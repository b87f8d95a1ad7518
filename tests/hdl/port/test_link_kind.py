"""Numbers that follow from the kind of a fabric link, and one clear line for those that contradict it."""

from fractions import Fraction

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.shape import KINDS
from dsnswitch.net.messages import UsageError

PORT = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 2}


@pytest.mark.parametrize(
    ("link", "latency", "ends", "wait", "trip"),
    [("light", (1, 1), 14, 256, 64), ("strict", (3, 87), 194, 360, 244), ("selected", (3, 89), 198, 362, 248)],
)
def test_numbers_by_hand(link, latency, ends, wait, trip):
    """A round trip is twice both latencies and 10 cycles; the wait is in blocks, of which 20 take 33 cycles."""
    kind = KINDS[link]
    assert (kind.tx_latency, kind.rx_latency) == latency
    assert (kind.ends, kind.wait, kind.round_trip, kind.patience) == (ends, wait, trip, 16 * wait)
    block = build(PORT | {"link": link, "retry": True})
    assert block.shape.round_trip == trip
    # A light codeword and the block after it, or 20 blocks and one more.
    assert kind.burst == {"light": 2}.get(link, 35)
    # A third more than the flits of a round trip, as a power of two.
    assert block.shape.replay == {"light": 128}.get(link, 256)
    component = block.component()
    rates = {"light": 1, "strict": Fraction(20, 33), "selected": Fraction(16, 27)}
    assert (component.latency, component.results_per_cycle) == (latency[1], rates[link])
    stated = block.interface()[1]["fabric"]
    assert (stated["tx_latency_cycles"], stated["rx_latency_cycles"]) == latency
    assert stated["full_rate_depth"] == {"light": 21, "strict": 160, "selected": 162}[link]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"link": "strict", "round_trip": 64}, "Round trip of a strict link must be in 194..316 cycles, or 0, not 64"),
        ({"link": "light", "round_trip": 200}, "Round trip of a light link must be in 8..192 cycles, or 0, not 200"),
        ({"link": "selected", "round_trip": 317}, "round_trip must be in 8..316, not 317"),
    ],
)
@pytest.mark.parametrize("block", ["fabric-port", "switch"])
def test_contradictions(block, values, message):
    with pytest.raises(UsageError, match=message):
        build(PORT | values | {"block": block, "retry": True})
