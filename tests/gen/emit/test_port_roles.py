"""Attributes of ports that follow from a component's signature."""

from types import SimpleNamespace

import pytest
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import port_roles
from dsnswitch.hdl.core.packet import FlitLink

WORD = data.StructLayout({"low": 3, "inner": data.StructLayout({"a": 1, "b": 2})})
FIELDS = [{"name": "low", "bits": [0, 2]}, {"name": "inner.a", "bits": [3, 3]}, {"name": "inner.b", "bits": [4, 5]}]


def roles_of(members, stated):
    component = wiring.Component.__new__(type("Any", (wiring.Component,), {"_MustUse__silence": True}))
    component.__init__(members)
    return port_roles(SimpleNamespace(block="any", interface=lambda: (stated, {})), component)


def test_streams_and_structures():
    """Nested members too: the direction is that of the top, and a stream's ready has the role of its stream."""
    inner = wiring.Signature({"sent": Out(stream.Signature(WORD)), "came": In(stream.Signature(4))})
    found = roles_of({"near": Out(inner), "far": In(inner), "state": Out(WORD)}, {"state": {"role": "status"}})
    assert {name: about["role"] for name, about in found.items()} == {
        **{f"near_sent_{part}": f"output-{part}" for part in ("payload", "valid", "ready")},
        **{f"near_came_{part}": f"input-{part}" for part in ("payload", "valid", "ready")},
        **{f"far_sent_{part}": f"input-{part}" for part in ("payload", "valid", "ready")},
        **{f"far_came_{part}": f"output-{part}" for part in ("payload", "valid", "ready")},
        "state": "status",
    }
    assert found["near_sent_payload"]["fields"] == found["state"]["fields"] == FIELDS
    assert "fields" not in found["far_came_payload"]


def test_links_of_flits():
    shape = build({"block": "switch-core", "topology": "ring:3:ring-2", "flit": 24, "packet": 1}).shape
    link = FlitLink(shape, shape.ports[0])
    found = roles_of({"rx": In(link), "tx": Out(link)}, {})
    assert found["rx_valid"] == {"role": "input-flit", "static": False, "encoding": "one-hot"}
    assert found["tx_credit"] == {"role": "output-flit", "static": False, "encoding": "flags"}
    assert [field["name"] for field in found["tx_flit"]["fields"]] == ["data", "head", "tail", "bad"]


def test_the_block_adds_attributes():
    assert roles_of({"i": In(WORD)}, {"i": {"role": "data", "static": True}}) == {
        "i": {"fields": FIELDS, "role": "data", "static": True}
    }


def test_a_port_without_a_role():
    with pytest.raises(KeyError, match="Port other of block any has no role"):
        roles_of({"i": In(stream.Signature(4)), "other": In(1)}, {})
