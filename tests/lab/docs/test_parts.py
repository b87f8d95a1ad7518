"""Generated parts whose words depend on the figures."""

from types import SimpleNamespace

import pytest

from dsnswitch.lab.docs import links, switch


@pytest.mark.parametrize(
    ("slowest", "end"),
    [
        (25.3, "begins at a register, so look-ahead would not shorten it."),
        (31.2, "begins at an input."),
    ],
)
def test_look_ahead_helps_only_if_the_longest_path_begins_at_an_input(slowest, end):
    entry = {"delay": 9.2, "period": 31.2, "paths": {"input_to_register": slowest}}
    text = " ".join(switch.SWITCH_PARTS["look-ahead"](SimpleNamespace(of=lambda _: entry)).split())
    assert text.endswith(f"The longest path, 31.2 FO4, {end}")


def test_years_have_the_digits_that_are_known():
    """Sampled formats have one digit, the others three."""
    formats = ("66b", "257b", "260b", "260b, flags counted", "260b, literal", "260b, protected")
    years = dict.fromkeys(formats, 1.3619e9)
    rows = dict.fromkeys(("independent", "flags ignored", "flagged frames dropped"), years)
    table = links.ANALYSIS_PARTS["mttfpa"](SimpleNamespace(value=lambda _: {"years": [rows]}))
    assert table.splitlines()[2].endswith("| 1.36e9 | 1.36e9 | 1.36e9 | 1.36e9 | 1e9 | 1e9 |")
