"""With retransmission a session survives a lost lock. Without lock for too long, or after a reset, it begins anew."""

import pytest

#: Packets of several lengths, and a buffer that keeps the line full.
VALUES = {"retry": True, "packet": 33, "depth": 160, "flit": 64}
LENGTHS = [1, 2, 33, 5]


@pytest.fixture
def resumes(joined):
    """A function that runs tests of the bench."""

    def run(tests, label="", values=VALUES, patience=4096, **parameters):
        more = {"lengths": LENGTHS, "ends": "ab", "delay": 3, **parameters}
        return joined(tests, label, values=values, bench="replay_bench", patience=patience, reader=False, **more)

    return run


def test_the_session_goes_on(resumes):
    """The last failure takes longer than 16 round trips."""
    tests = ["noise_for_a_while", "headers_are_wrong", "noise_on_an_idle_line"]
    assert resumes(tests, noisy="a", noise=[40, 400, 1500], phases=8) == 3


def test_noise_that_looks_like_flits(resumes):
    more = {"noisy": "a", "noise": [40], "phases": 60, "unmarked": 2}
    assert resumes(["noise_that_looks_like_flits"], **more) == 1


def test_a_session_that_ends(resumes):
    assert resumes(["packets_wait_for_the_lock", "a_reset_in_noise"]) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("noisy", "delay"), [("a", 25), ("b", 0), ("ab", 25)])
def test_every_phase(resumes, noisy, delay):
    more = {"delay": delay, "noise": [40, 400], "phases": 131, "unmarked": 8, "optimise": "-O1"}
    tests = ["noise_for_a_while", "noise_that_looks_like_flits"]
    assert resumes(tests, f"-{noisy}", noisy=noisy, **more) == 2


@pytest.mark.regress
@pytest.mark.parametrize("noisy", ["a", "ab"])
def test_strict_line(resumes, noisy):
    """Noise of about four codewords or more ends the lock."""
    values = VALUES | {"link": "strict", "depth": 200}
    more = {"noise": [200, 400, 2000], "phases": 20, "patience": 5760, "optimise": "-O1"}
    assert resumes(["noise_for_a_while"], f"-{noisy}", values, noisy=noisy, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize(
    ("strict", "test", "more"),
    [
        (1, "noise_for_a_while", {}),
        # Each data block may be noise, so that its packet ends with the lock.
        (0, "noise_that_looks_like_flits", {"unmarked": 2}),
    ],
    ids=["strict", "light"],
)
def test_selected_line(resumes, strict, test, more):
    values = VALUES | {"link": "selected", "depth": 200}
    more = {"strict": [strict] * 2, "noise": [400], "phases": 3, "patience": 5792, "noisy": "a"} | more
    assert resumes([test], f"-{strict}", values, **more) == 1
