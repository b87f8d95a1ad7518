"""Fixtures that call the console command in this process."""

import sys
from contextlib import nullcontext

import pytest

from dsnswitch.gen.cli import main
from dsnswitch.lab.figures.refresh import measured
from dsnswitch.lab.figures.store import PATH, load


@pytest.fixture
def no_bar():
    """A replacement of the progress bar that shows nothing."""
    return lambda items, label: nullcontext(items)


@pytest.fixture
def recorded(root, no_bar):
    """A function that returns the recorded figures of blocks; figures that are not current are measured."""
    return lambda blocks: measured(load(root / PATH), blocks, no_bar)


@pytest.fixture
def run(monkeypatch, capsys):
    """A function that calls ``dsnswitch`` with the given words; returns ``(status, stdout, stderr)``."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["dsnswitch", *map(str, words)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def refuse(run):
    """A function that calls ``dsnswitch`` with wrong input, and returns the line of error.

    It checks that the status is 2 and that this line is the only output.
    """

    def call(*words):
        status, out, err = run(*words)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("dsnswitch: error: ")
        return err

    return call
