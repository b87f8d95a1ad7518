"""The strict and the selected link: emitted Verilog against the golden models. Their units have faster tests beside this one."""

import pytest

pytestmark = pytest.mark.regress

#: A strict link whose symbol-error monitor reacts within a short run.
STRICT = {"block": "strict-link", "window": 8, "limit": 20, "keep": 2}
SELECTED = {"block": "selected-link"}


@pytest.mark.parametrize(
    ("more", "how"),
    [
        ({}, {"codewords": 24, "stall": 0.2}),
        ({"unroll": 2}, {"codewords": 60, "stall": 0.4, "off": 20, "seed": 2}),
        ({"settle": 7}, {"codewords": 60, "stall": 0.4, "off": 30, "seed": 2}),
    ],
    ids=["default", "unroll-2", "settle-7"],
)
def test_strict(lab, more, how):
    assert lab.bench("strict_bench", STRICT | more, **how) == 5


@pytest.mark.parametrize(
    ("more", "how"),
    [
        ({}, {"blocks": 600, "stall": 0.2, "changes": 5}),
        # The longest search skips every other codeword of a group that resembles the first.
        ({"unroll": 2}, {"blocks": 900, "stall": 0.4, "changes": 9, "seed": 3, "off": 270}),
    ],
    ids=["default", "unroll-2"],
)
def test_selected(lab, more, how):
    assert lab.bench("selected_bench", SELECTED | more, **how) == 4
