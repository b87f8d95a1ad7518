"""The cache: damaged entries are made again, and a folder that cannot be written is named."""

import errno
import os
import re

import pytest

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.gen.emit import yosys
from dsnswitch.net.cache import keep, kept
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.compile.compiler import build
from dsnswitch.sim.network.engine import runtime
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

#: A core that is compiled in seconds.
SMALL = {"topology": "torus:2", "flit": 16, "packet": 1, "depth": 2}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("DSNSWITCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def text(content):
    return lambda path: path.write_text(content)


def pair(path):
    path.mkdir()
    (path / "a").write_text("one")
    (path / "b").write_text("two")


def test_entries(folder):
    assert kept("x.json") is None
    path = keep("x.json", text("one"))
    assert (kept("x.json"), path.read_text(), path.suffix) == (path, "one", ".json")
    assert kept("x") is None
    path = keep("pair", pair)
    assert (kept("pair"), sorted(file.name for file in path.iterdir())) == (path, ["a", "b"])
    assert keep("pair", pair) == path
    assert len(list(folder.iterdir())) == 2


def rename(path):
    (path / "a").rename(path / "c")


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: (path / "a").write_text("on"),
        lambda path: (path / "a").write_text("ome"),
        lambda path: (path / "a").unlink(),
        lambda path: (path / "c").write_text(""),
        rename,
    ],
)
def test_a_damaged_folder(folder, harm):
    path = keep("pair", pair)
    harm(path)
    assert kept("pair") is None
    assert not path.exists()
    assert kept("pair") is None
    assert keep("pair", pair) == path == kept("pair")


def test_a_maker_that_fails(folder):
    """Nothing remains, and its own message is passed on."""

    def fails(path):
        pair(path)
        raise UsageError("no compiler")

    with pytest.raises(UsageError, match="no compiler"):
        keep("pair", fails)
    assert not list(folder.iterdir())


def cut(entry):
    """Cut each file of an entry to half its length. Processes that have loaded it keep the whole file."""
    for file in [entry] if entry.is_file() else list(entry.iterdir()):
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content[: len(content) // 2])


def test_a_damaged_core_is_emitted_again(folder):
    first = core_manifest(SMALL)
    content = {file.name: file.read_bytes() for file in first.parent.iterdir()}
    cut(first.parent)
    assert core_manifest(SMALL) == first
    assert {file.name: file.read_bytes() for file in first.parent.iterdir()} == content


@pytest.mark.regress
def test_every_kind_of_entry_is_made_again(folder):
    """Simulations end with the same packets after each kind of entry was cut."""

    def packets():
        runtime.functions.cache_clear()
        yosys.program.cache_clear()
        engine = Engine(Core(core_manifest(SMALL)), [Point(load=0.2, log=True)])
        engine.run(200)
        return engine.delivered(0).tolist()

    first = packets()
    assert first
    entries = {path.name.partition("-")[0]: path for path in folder.iterdir()}
    assert set(entries) == {"verilog", "netlist", "core", "runtime", "yosys"}
    for kind, entry in entries.items():
        cut(entry)
        # Later uses make it from the entry again.
        for other in {"verilog": ("yosys",), "netlist": ("core",), "yosys": ("verilog",)}.get(kind, ()):
            cut(entries[other])
        assert packets() == first
        assert kept(re.sub(r"-[0-9a-f]{24}(\.|$)", r"\1", entry.name))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_disk(folder, monkeypatch, number):
    """The message names the folder, and how to choose another one."""

    def full(path):
        raise OSError(number, os.strerror(number))

    message = f"The cache {folder} cannot be written ({os.strerror(number)}); set DSNSWITCH_CACHE to another folder"
    with pytest.raises(UsageError) as error:
        keep("x.json", full)
    assert str(error.value) == message
    assert not list(folder.iterdir())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError) as error:
        keep("x.json", text("one"))
    assert str(error.value) == message
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_made(monkeypatch):
    monkeypatch.setenv("DSNSWITCH_CACHE", "/proc/none")
    with pytest.raises(UsageError, match="The cache /proc/none cannot be written"):
        keep("x.json", text("one"))


def test_the_compiler_meets_a_full_disk(folder, tmp_path, monkeypatch):
    """A compiler that says so is no failure of the compiler."""
    script = tmp_path / "compiler"
    script.write_text(f"#!/bin/sh\necho 'fatal error: {os.strerror(errno.ENOSPC)}' >&2\nexit 1\n")
    script.chmod(0o700)
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\); set DSNSWITCH_CACHE"):
        keep("x.so", lambda path: build([""], path, "generic"))
