"""Budgets: figures that exceed a ceiling or miss a target are named. ``make stale`` checks the recorded figures."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.net.messages import UsageError
from tools.budget import TARGETS, load, lowered, missed_targets, render, violations
from tools.figures.store import Store


def entry(**figures):
    return {"name": "t", "area": 100.0, "period": 10.0} | figures


@pytest.mark.parametrize(
    ("figures", "found"),
    [
        ({"area": 101.9, "period": 10.19}, []),
        ({"area": 103}, ["t: area 103.00 GE passes its ceiling 100 by 3.0%"]),
        ({"period": 10.3}, ["t: period 10.30 FO4 passes its ceiling 10 by 3.0%"]),
        ({"name": "u"}, ["u has no budget", "t has a budget and is not measured"]),
    ],
)
def test_violations(figures, found):
    assert violations([entry(**figures)], {"t": {"area": 100, "period": 10}}) == found


def test_targets():
    """A figure at its limit is named as soon as it is larger. Targets without figures are left out."""
    key, ours, limit, theirs = TARGETS[1]
    name, other = build(ours).name, build(theirs).name
    figures = {name: {key: limit * 100, "area": 1}, other: {key: 100, "area": 100}}
    assert missed_targets(Store()) == missed_targets(Store(blocks={"model": figures})) == []
    figures[name][key] += 1
    (line,) = missed_targets(Store(blocks={"model": figures}))
    assert line == f"{name}: delay is 1.040 of {other}, more than 1.03"


def test_ceilings_only_go_down(tmp_path):
    old = {"t": {"area": 90, "period": 11, "reason": 'because of "x"'}}
    new = lowered([entry(), entry(name="u")], old)
    assert new == {"t": {"area": 90, "period": 10.0, "reason": 'because of "x"'}, "u": {"area": 100.0, "period": 10.0}}
    path = tmp_path / "budgets.toml"
    path.write_text(render(new))
    assert load(path) == new


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[t\n", "is malformed"),
        ("[t]\narea = 1\n", "t needs a number for period, not None"),
        ("[t]\narea = true\nperiod = 1\n", "t needs a number for area, not True"),
        ("[t]\narea = nan\nperiod = 1\n", "a number must be finite, not nan"),
        ("[t]\narea = 1\nperiod = inf\n", "a number must be finite, not inf"),
        ("[t]\narea = 1\nperiod = -inf\n", "a number must be finite, not -inf"),
        ("[t]\narea = 1\nperiod = 1\nwires = 2\n", "t has an unknown key 'wires'"),
    ],
)
def test_bad_budget_file(tmp_path, text, message):
    path = tmp_path / "budgets.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load(path)
