"""Names of emitted modules, ports and parameters: legal in Verilog, SystemVerilog, VHDL-2008 and C++ without escapes."""

import gc
import inspect
import re
from functools import partial

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from emitted.corners import LARGE
from emitted.keywords import refusals

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import ROLES, flat_ports, port_roles
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.net.messages import UsageError


@pytest.mark.parametrize("values", LARGE, ids=lambda values: values["block"])
def test_ports_of_large_tops(monkeypatch, values):
    """Tops that take long to emit are tested by their signature alone."""
    monkeypatch.setattr(Elaboratable, "_MustUse__silence", True)
    block = build(values)
    component = block.component()
    assert not refusals([block.name, "clk", "rst", *flat_ports(component)])
    assert port_roles(block, component)
    del component
    gc.collect()


def test_every_role_has_a_sentence(root):
    """The comments of ports are made from their roles."""
    schema = schema_of("manifest")
    assert set(schema["properties"]["ports"]["items"]["properties"]["role"]["enum"]) == set(ROLES)


def test_parameters():
    block = build({"block": "table-direct", "words": 4, "action": 2})
    text = convert(block.component(), block.name, block.description)
    found = re.findall(r"\bparameter (\w+)", text)
    assert found == ["IMAGE"]
    assert not refusals(found)


def test_paths_that_join_to_one_name(quiet):
    """Both ``a.b_c`` and ``a_b.c`` would have the name ``a_b_c``."""

    class Clash(wiring.Component):
        a: Out(wiring.Signature({"b_c": Out(1)}))
        a_b: In(wiring.Signature({"C": Out(1)}))

    with pytest.raises(ValueError, match="have one name, a_b_C"):
        flat_ports(quiet(Clash)())


class _Register(wiring.Component):
    """A register without a name: ``map`` stands between the variable and ``Signal``."""

    i: In(2)
    o: Out(2)

    def elaborate(self, platform):
        m = Module()
        (word,) = map(Signal, [2])
        m.d.sync += word.eq(self.i)
        m.d.comb += self.o.eq(word)
        return m


class _Ram(wiring.Component):
    """A memory without a name."""

    i: In(2)
    o: Out(2)

    def elaborate(self, platform):
        m = Module()
        (words,) = (make() for make in [partial(memory.Memory, shape=2, depth=4, init=[])])
        m.submodules.words = words
        read = words.read_port()
        m.d.comb += [read.addr.eq(self.i), read.en.eq(1), self.o.eq(read.data)]
        return m


@pytest.mark.parametrize(("component", "what"), [(_Register, "signal"), (_Ram, "memory")])
def test_unnamed_signals_are_refused(component, what):
    """The message names the line that makes the signal."""
    file, (_, line) = inspect.getfile(component), inspect.getsourcelines(component.elaborate)
    with pytest.raises(UsageError, match=re.escape(f"{file}:{line + 2}: a {what} has no name")):
        convert(component(), "top", [])
