"""Replays on a line without pauses: a bad codeword costs a round trip, at every phase of packets and on every kind of line.

A gap is the greatest number of cycles without a flit at the other end. It may exceed the round trip by :data:`MORE`. If a bad
codeword hits the start of a replay, one more gap follows: without the request that it causes, nothing can be sent again.
"""

import pytest

#: A buffer that keeps the line full with cables of 25 cycles.
LONG = {"retry": True, "packet": 33, "depth": 160, "flit": 64}
SHORT = {"retry": True, "packet": 4, "depth": 200, "flit": 64}
#: No wrong bit is corrected.
DETECT = {"detect": True}
#: Cycles of a round trip without cables.
LIGHT = 14
#: Distances of two bad codewords at which the second hits the start of the replay: the block before it, or one of the first two.
LATE = 3
#: Cycles that a codeword of the strict link takes, which its first blocks wait for.
CODEWORD = 33
MORE = 6


@pytest.fixture
def replays(joined):
    """A function that runs a test of the bench."""

    def run(test, values, label="", **parameters):
        # The ports are those of test_resume.py.
        return joined([test], label, values=values, bench="replay_bench", patience=4096, reader=False, **parameters)

    return run


def test_one_bad_codeword(replays):
    assert replays("one_bad_codeword", LONG, delay=0, phases=36, gap=LIGHT + MORE) == 1


@pytest.mark.parametrize("phases", [12, pytest.param(131, marks=pytest.mark.regress)])
def test_one_wrong_bit_that_is_not_corrected(replays, phases):
    """A port that only detects errors: a wrong bit costs the round trip, at every phase of packets, and nothing else."""
    assert replays("one_bad_codeword", LONG | DETECT, delay=0, phases=phases, gap=LIGHT + MORE) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("delay", "ends"), [(0, "ab"), (25, "a")])
def test_two_wrong_bits_that_are_not_corrected(replays, delay, ends):
    more = {"delay": delay, "ends": ends, "distances": [*range(1, 81)], "late": LATE, "optimise": "-O1"}
    assert replays("two_bad_codewords", LONG | DETECT, gap=LIGHT + 2 * delay + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(
    ("errors", "detects", "least"), [(1e-4, True, 0.5), (1e-5, True, 0.8), (1e-6, True, 0.85), (1e-4, False, 0.8)]
)
def test_rate_of_detection(replays, errors, detects, least):
    """The flits per cycle of full lines with wrong bits; the bench prints them."""
    more = {"delay": 0, "errors": errors, "cycles": 30_000, "ends": "ab", "optimise": "-O1"}
    values = LONG | (DETECT if detects else {})
    assert replays("rate_with_wrong_bits", values, f"-{errors}", least=least, **more) == 1


@pytest.mark.parametrize("ends", [pytest.param("a", marks=pytest.mark.regress), "ab"])
def test_a_bad_request(replays, ends):
    """The second bad codeword hits the request of the first, which is sent again."""
    more = {"delay": 0, "ends": ends, "distances": [*range(1, 9)], "answers": True}
    assert replays("two_bad_codewords", LONG, gap=LIGHT + MORE, **more) == 1


@pytest.mark.parametrize("ends", [pytest.param("a", marks=pytest.mark.regress), "ab"])
def test_two_bad_codewords(replays, ends):
    more = {"delay": 0, "ends": ends, "distances": [1, 2, *range(8, 16), 40], "late": LATE}
    assert replays("two_bad_codewords", LONG, gap=LIGHT + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("delay", "channels", "ends"), [(0, [0], "a"), (0, None, "ab"), (10, [0], "ab"), (25, None, "a")])
def test_every_phase(replays, delay, channels, ends):
    more = {"delay": delay, "channels": channels, "ends": ends, "phases": 131, "optimise": "-O1"}
    assert replays("one_bad_codeword", LONG, gap=LIGHT + 2 * delay + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize("delay", [0, 25])
def test_after_an_abort(replays, delay):
    more = {"delay": delay, "lengths": [3, 5, 33], "abort": True, "phases": 80, "optimise": "-O1"}
    assert replays("one_bad_codeword", LONG, gap=LIGHT + 2 * delay + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("delay", "round_trip", "ends"), [(0, 64, "a"), (0, 16, "ab"), (25, 64, "ab")])
def test_every_distance(replays, delay, round_trip, ends):
    more = {"delay": delay, "ends": ends, "distances": [*range(1, 81)], "late": LATE, "optimise": "-O1"}
    values = LONG | {"round_trip": round_trip}
    assert replays("two_bad_codewords", values, gap=LIGHT + 2 * delay + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("delay", "lengths"), [(3, [1, 2, 3, 4]), (30, [1])])
def test_strict_line(replays, delay, lengths):
    more = {"delay": delay, "lengths": lengths, "phases": 11, "optimise": "-O1"}
    assert replays("one_bad_codeword", SHORT | {"link": "strict"}, gap=194 + 2 * delay + CODEWORD + MORE, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("delay", "strict"), [(3, 1), (30, 1), (20, 0)])
def test_selected_line(replays, delay, strict):
    more = {"delay": delay, "lengths": [1, 2, 3, 4], "phases": 11, "optimise": "-O1"}
    gap = (198 + CODEWORD if strict else 198 - 2 * 83) + 2 * delay + MORE
    assert replays("one_bad_codeword", SHORT | {"link": "selected"}, f"-{strict}", strict=[strict] * 2, gap=gap, **more) == 1


@pytest.mark.regress
def test_rate_of_the_light_format(replays):
    """A selected link in its light format waits for the round trip of this format before it repeats a request."""
    values = {"retry": True, "packet": 33, "depth": 192, "flit": 64, "link": "selected"}
    more = {"delay": 1, "strict": [0, 0], "errors": 1e-3, "cycles": 8000, "ends": "ab", "optimise": "-O1"}
    assert replays("rate_with_wrong_bits", values, least=0.3, **more) == 1


@pytest.mark.parametrize(
    ("topology", "depth", "least", "resumes"),
    [
        pytest.param("torus:2", 132, 0, 0.15, marks=pytest.mark.regress),
        pytest.param("torus:2", 66, 0.9, 1.1, marks=pytest.mark.regress),
        pytest.param("ring:5:ring-3", 132, 0.5, 0.6, marks=pytest.mark.regress),
    ],
)
def test_counts_of_credits_within_packets(replays, topology, depth, least, resumes):
    """Ports with one channel, and with two of which one is used."""
    values = {"topology": topology, "packet": 33, "depth": depth, "flit": 64}
    more = {"delay": 0, "channels": [0], "ends": "ab", "cycles": 3000, "least": least, "resumes": resumes}
    assert replays("counts_within_packets", values, **more) == 1


@pytest.mark.regress
def test_rate_of_the_strict_line(replays):
    """Without retransmission, at a rate of errors that loses the lock again and again: the old boundary is tested first."""
    values = {"packet": 33, "depth": 192, "flit": 64, "link": "strict"}
    more = {"delay": 1, "errors": 1e-3, "cycles": 60_000, "ends": "ab", "optimise": "-O1"}
    assert replays("rate_with_wrong_bits", values, least=0.3, **more) == 1
