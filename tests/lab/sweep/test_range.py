"""Refinement of a range of loads around a known saturation."""

import pytest

from dsnswitch.lab.sweep.plan import Range


def refine(found, saturation, at_once=1, keep=()):
    """Measure an ideal network until nothing is missing; returns ``(rows, interval, steps)``."""
    rows, steps = dict(keep), 0
    while True:
        loads, interval = found.refined(rows, lambda row: row, at_once)
        missing = [load for load in loads if load not in rows]
        assert len(loads) == len(set(loads))
        if not missing:
            return rows, interval, steps
        rows |= {load: load <= saturation for load in missing}
        steps += 1


@pytest.mark.parametrize("at_once", [1, 2, 8])
@pytest.mark.parametrize("saturation", [0.01, 0.1, 0.237, 0.39999, 0.4])
def test_the_interval_holds_saturation_and_is_as_short_as_promised(saturation, at_once):
    found = Range(0.1, 0.5, points=5, precision=0.004)
    rows, (low, high), steps = refine(found, saturation, at_once)
    assert low <= saturation < high
    assert high - low <= 0.008 + 1e-9
    assert rows.keys() >= {0.1, 0.2, 0.3, 0.4, 0.5, 1.0}
    if at_once == 1 and saturation > 0.1:
        assert len(rows) == found.expected
    # The last step was needed: the interval before it was longer than promised.
    assert (high - low) * (at_once + 1) > 0.008
    assert steps > 1


def test_a_range_below_saturation_is_not_refined():
    assert refine(Range(0.1, 0.5, points=3), 0.9) == ({0.1: True, 0.3: True, 0.5: True, 1.0: False}, None, 1)
    assert refine(Range(0.1, 0.5, points=3, over=False), 0.9)[0] == {0.1: True, 0.3: True, 0.5: True}


def test_a_range_below_saturation_bounds_it():
    """The greatest measured load is a lower bound, but not that of a range that is incomplete, or of one that saturates."""
    found = Range(0.1, 0.5, points=3)
    rows = {0.1: True, 0.3: True, 0.5: True, 1.0: False}
    assert found.lower_bound(rows, lambda row: row) == 0.5
    assert found.lower_bound(rows | {1.0: True}, lambda row: row) == 1
    assert found.lower_bound(rows | {0.3: False}, lambda row: row) is None
    assert found.lower_bound(rows | {0.3: None}, lambda row: row) is None
    assert found.lower_bound({0.1: True, 1.0: True}, lambda row: row) is None


def test_results_of_an_interrupted_refinement_lead_to_the_same_loads():
    found = Range(0.05, 0.95, points=4)
    whole = refine(found, 0.41, 3)[0]
    for count in range(len(whole)):
        assert refine(found, 0.41, 3, list(whole.items())[:count])[0] == whole


def test_the_first_unstable_load_counts():
    """Noise near saturation: a stable load above the first unstable one does not move the interval."""
    answers = {0.1: True, 0.2: False, 0.3: True, 0.4: False, 0.15: True, 0.175: False}
    loads, interval = Range(0.1, 0.4, points=4, precision=0.0125, over=False).refined(answers, lambda row: row)
    assert loads == [0.1, 0.2, 0.3, 0.4, 0.15, 0.175]
    assert interval == (0.15, 0.175)
