"""Progress of a command on a terminal. There is no progress if standard error is not a terminal."""

import io
import re
import sys
import time
from types import SimpleNamespace

import pytest

from dsnswitch.gen.cli import progress as module
from dsnswitch.gen.cli.progress import clock, meter, stage, watched


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(params=[Terminal, io.StringIO], ids=["terminal", "file"])
def replaced(request, monkeypatch):
    """A function that makes standard error a terminal or a file, and reduces the patience of the clock.

    The test calls it, because pytest itself replaces the streams between fixtures and test.
    """

    def replace():
        monkeypatch.setattr(sys, "stderr", request.param())
        return sys.stderr

    monkeypatch.setattr(module, "PATIENCE", 0.02)
    return replace


def wait_for(text, stream):
    end = time.monotonic() + 10
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)


def test_clock(replaced, monkeypatch):
    """The elapsed seconds are shown with the stage, and the line is cleared at the end."""
    monkeypatch.setattr(module, "_stage", "")
    error = replaced()
    with clock():
        stage("script 1 of 12")
        if error.isatty():
            wait_for("script", error)
    text = error.getvalue()
    assert text.endswith("\r\x1b[K") == text.startswith("\rworking, 0 s: script 1 of 12\x1b[K") == error.isatty()
    assert bool(text) == error.isatty()


def test_time_left_of_numbered_stages(monkeypatch):
    """Two of ten stages took 20 s, so the other eight take 80 s. Other stages have no estimate."""
    for name in ("_stage", "_first", "_end"):
        monkeypatch.setattr(module, name, getattr(module, name))
    now = 100
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    shown = []
    for text in ("front end", "script 1 of 10", "script 3 of 10", None, None, "timing"):
        if text:
            stage(text)
        shown.append(module._line(100, now))
        now += {"script 1 of 10": 20, "script 3 of 10": 5}.get(text, 100)
    script = "working, {} s: script 3 of 10, about {} s left"
    assert shown == [
        "working, 0 s: front end",
        "working, 100 s: script 1 of 10",
        script.format(120, 80),
        script.format(125, 75),
        script.format(225, 0),
        "working, 325 s: timing",
    ]


def test_a_bar_whose_length_changes(replaced):
    """It shows the text of the last step, and ends at 100 % however many steps were expected."""
    error = replaced()
    with meter("cycles") as show:
        for done, length in ((10, 40), (20, 15), (30, 60)):
            show(done, length, f"{done} per second")
            time.sleep(0.02)
    text = error.getvalue()
    assert (re.search(r"cycles  \[#+-+\]   25%", text) is not None) == error.isatty()
    assert ("30 per second" in text) == (text.rstrip().split("\r")[-1].find("100%") > 0) == error.isatty()


def test_closed_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with clock():
        assert list(watched(range(3), "things")) == [0, 1, 2]


def test_a_bar_of_items_that_take_long(replaced, monkeypatch):
    """The first items tell how long all take."""
    monkeypatch.setattr(module, "LONG", 0.3)
    monkeypatch.setattr(module, "FIRST", 0.03)
    error = replaced()
    for count, label in ((3, "short"), (0, "none"), (1, "single"), (30, "long")):
        for _ in watched(range(count), label):
            time.sleep(0.02)
    found = set(re.findall(r"(short|none|single|long)  \[", error.getvalue()))
    assert found == ({"long"} if error.isatty() else set())
    assert list(watched([1, 2, 3], "all")) == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ("topology -p 2 --format graphml", ("nodes", "links")),
        ("check -p 2", ("routes",)),
        ("load -p 2", ("routes", "loads")),
        ("table -p 2", ("tables",)),
        ("faults -p 1", ("failures",)),
    ],
)
def test_every_long_step_has_a_bar(run, replaced, monkeypatch, words, labels):
    """Each bar ends at 100 %."""
    monkeypatch.setattr(module, "LONG", 0)
    monkeypatch.setattr(module, "FIRST", 0)
    error = replaced()
    assert run(*words.split())[0] == 0
    text = error.getvalue()
    for label in labels:
        assert (re.search(rf"{label}  \[#+\]  100%", text) is not None) == error.isatty()
