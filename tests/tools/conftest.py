"""Calls of ``python -m tools``."""

import sys

import pytest

from dsnswitch.gen.cli import main
from tools.__main__ import tools


@pytest.fixture
def run(capsys, monkeypatch):
    """A function that calls ``python -m tools`` with the given words; returns ``(status, stdout, stderr)``."""

    def call(*words):
        status = 0
        monkeypatch.setattr(sys, "argv", ["tools", *map(str, words)])
        try:
            main(tools, "python -m tools")
        except SystemExit as stop:
            status = stop.code or 0
        return status, *capsys.readouterr()

    return call
