"""JSON manifest of an emitted top: everything that another testbench needs to drive it (``manifest.schema.json``)."""

import gc
import json
import warnings
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from amaranth.hdl import UnusedElaboratable, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import FlippedSignature, In

from dsnswitch.gen.fields import fields
from dsnswitch.gen.version import __version__

# Flat ports of a component, with the names that they have in the emitted module and its manifest.


@contextmanager
def never_elaborated():
    """Suppress Amaranth's warning about unused components, for components of which only ports and latency are read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        # Amaranth warns when a component is deleted, so delete it here. Only objects that are new are searched for garbage.
        gc.freeze()
        try:
            yield
            gc.collect()
        finally:
            gc.unfreeze()


def flat_members(component):
    """Every port of ``component`` in the order of its signature, as ``{name: (member, value)}``.

    The name is the path of the member, joined by single underscores: ``payload`` of the stream ``i`` is ``i_payload``.

    Raises
    ------
    ValueError
        If two paths have the same name. Case is ignored, as in VHDL.
    """
    found, paths = {}, {}
    for path, member, value in component.signature.flatten(component):
        if not len(value := Value.cast(value)):
            continue  # a member without bits
        name = "_".join(map(str, path))
        other = paths.setdefault(name.lower(), path)
        if other is not path:
            raise ValueError(f"Ports {other!r} and {path!r} of {type(component).__name__} have one name, {name}")
        found[name] = member, value
    return found


def flat_ports(component):
    """As :func:`flat_members`: ``{name: (value, flow)}``."""
    return {name: (value, member.flow) for name, (member, value) in flat_members(component).items()}


def port_roles(block, component):
    """``{name: attributes}`` of all ports of ``component``, which ``block`` made, in their order.

    The signature states the fields of every structure, and what the members of addresses, streams and links of flits are. The
    block's own part of the manifest states everything else. Clock and reset are not ports of a component.

    Raises
    ------
    KeyError
        If a port has no role.
    """
    derived, (stated, _) = _roles(component.signature, ()), block.interface()
    found = {name: derived.get(name, {}) | stated.get(name, {}) for name in flat_ports(component)}
    for name, attributes in found.items():
        if "role" not in attributes:
            raise KeyError(f"Port {name} of block {block.block} has no role")
    return found


def _roles(signature, path):
    found = {}
    for name, member in signature.members.items():
        inner = (*path, name)
        if member.is_port:
            found["_".join(map(str, inner))] = _fields_of(member)
        else:
            found |= _roles(member.signature, inner)
            found |= _roles_of_signature(member, "_".join(map(str, inner)))
    return {port: attributes for port, attributes in found.items() if attributes}


def _fields_of(member):
    return {"fields": fields(member.shape)} if isinstance(member.shape, data.Layout) else {}


def _roles_of_signature(member, name):
    """Roles of the members of a stream, or of a signature with ``attributes``, or with ``ROLE`` and ``ENCODINGS``.

    A top calls it ``name``.
    """
    signature = member.signature
    # Amaranth flips the signature of an input, so that a component is the other side of it.
    plain = signature.flip() if isinstance(signature, FlippedSignature) else signature
    way = "input" if isinstance(signature, FlippedSignature) else "output"
    if hasattr(plain, "attributes"):
        return {f"{name}_{part}": about for part, about in plain.attributes.items()}
    if isinstance(plain, stream.Signature):
        return _stream(name, way, plain.members["payload"])
    encodings = getattr(plain, "ENCODINGS", {})
    return {
        f"{name}_{part}": {
            "role": f"{way}-{plain.ROLE}",
            "static": False,
            **_fields_of(member),
            **({"encoding": encodings[part]} if part in encodings else {}),
        }
        for part, member in plain.members.items()
        if hasattr(plain, "ROLE")
    }


def _stream(name, way, payload):
    """A transfer takes place in each cycle in which both valid and ready are 1."""
    return {
        f"{name}_payload": {"role": f"{way}-payload", "static": False, **_fields_of(payload)},
        f"{name}_valid": {"role": f"{way}-valid", "static": False, "encoding": "flag"},
        f"{name}_ready": {"role": f"{way}-ready", "static": False, "encoding": "flag"},
    }


def manifest(block, component, files):
    """Manifest of ``component`` as a dictionary.

    ``block`` is the configured block that made the component (an instance of a class in :data:`BLOCKS`).
    ``files`` maps a kind of file (``verilog``, ``sdc``, ...) to its name in the manifest's folder.
    """
    roles, (_, interface) = port_roles(block, component), block.interface()
    clocked = getattr(component, "clocked", component.latency > 0)
    entries = []
    if clocked:
        entries += [
            {"name": name, "direction": "input", "width": 1, "role": role, "static": False}
            for name, role in (("clk", "clock"), ("rst", "reset"))
        ]
    for name, (value, flow) in flat_ports(component).items():
        direction = "input" if flow == In else "output"
        entries.append({"name": name, "direction": direction, "width": len(value), **roles[name]})
    entries = [entry for _, group in groups(entries) for entry in group]
    return {
        "format": "dsnswitch-manifest",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "block": block.block,
        "top": block.name,
        "files": files,
        "parameters": block.parameters,
        "clock": {"port": "clk", "edge": "rising"} if clocked else None,
        "reset": {"port": "rst", "active": "high", "kind": "synchronous"} if clocked else None,
        "latency_cycles": component.latency,
        "results_per_cycle": _number(getattr(component, "results_per_cycle", 1)),
        "ports": entries,
        **interface,
    }


def _number(fraction):
    return fraction.numerator if fraction.denominator == 1 else float(fraction)


def render(value):
    """JSON text with one entry per line if the entry fits one line."""
    lines = []
    for key, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], dict):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in item)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(item)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


# Descriptions of port roles, for the comments of the emitted Verilog and of the instantiation template.


#: A sentence for each role of the manifest; ``{}`` is the name of a stream.
ROLES = {
    "clock": "Clock, rising edge.",
    "reset": "Reset, synchronous, active high.",
    "own-address": "Address of this switch: static, valid and constant while packets flow.",
    "network-size": "Supernodes in a dimension: static and constant while packets flow.",
    "destination-address": "Destination of the packet.",
    "arrival-class": "Virtual channel class on which the packet arrived; 0 from a host.",
    "arrival-port": "Port on which the packet arrived, one-hot; 0 from a host.",
    "packet-state": "Header bits that the logic of one switch writes for that of the next: at the input, and at the output.",
    "may-return": "The packet may leave by the port on which it arrived.",
    "undeliverable": "No detour leads on: the packet goes to the tables, or is reported to its source.",
    "output-port": "Output port of the packet, one-hot.",
    "output-class": "Virtual channel class of the next hop, where the port has two classes or more.",
    "arrived": "The destination is this switch.",
    "invalid": "The destination does not exist.",
    "table-write": "Write port of the table.",
    "key": "Key of the lookup.",
    "action": "Action of the matching entry; 0 without one.",
    "hit": "An entry matches.",
    "table-loaded": "The table is written; until then every lookup misses.",
    "no-route": "The table was looked up and has no live port.",
    "dead-port": "Output ports that are reported dead, one bit each.",
    "rises": "Ports to switches of higher rank, one bit each: static and constant while packets flow.",
    "packet-table": "Header bit that keeps a packet with the tables: at the input, and at the output.",
    "table-mode": "Route every packet by the table.",
    "data": "Data.",
    "codeword": "Codeword.",
    "corrected": "An error was corrected.",
    "uncorrectable": "The errors cannot be corrected.",
    "position": "Position of the corrected bit.",
    "input-payload": "Stream {} into the block: a transfer takes place in each cycle in which valid and ready are 1.",
    "output-payload": "Stream {} out of the block: a transfer takes place in each cycle in which valid and ready are 1.",
    "input-flit": "Link {}: flits into the block on one-hot virtual channels, credits out of it.",
    "output-flit": "Link {}: flits out of the block on one-hot virtual channels, credits into it.",
    "input-axi": "AXI4-Stream {} into the block: packets of flits.",
    "output-axi": "AXI4-Stream {} out of the block: packets of flits.",
    "stall": "The link cannot take flits now: the core grants nothing from the next cycle on.",
    "confirmation": "The flit that enters the core in this cycle counts; late in the cycle.",
    "link-end": "Address and port number of this end, and those that the other end must have: static.",
    "packet-event": "A pulse per event, one bit per port at which the packet arrived.",
    "host-patience": "Cycles after which packets for a host that takes nothing are dropped; 0: never.",
    "untaken-packet": "A pulse per packet that is dropped because its host takes nothing, one bit per host.",
    "virtual-network-space": "Space for a longest packet of each virtual network, one bit per network.",
    "virtual-network-service": "Weight and level of each virtual network at an output; they may change while packets flow.",
    "bad-check": "A pulse per packet to a host whose end-to-end check is wrong, one bit per host.",
    "enable": "Modes of operation.",
    "status": "Status.",
    "counter": "Saturating counters of events.",
    "clear": "Set the counters to 0.",
    "input-apb": "Port {}: APB4 target for status and control.",
}
ROLES |= {f"{way}-{part}": ROLES[f"{way}-payload"] for way in ("input", "output") for part in ("valid", "ready")}


def groups(ports):
    """``[(sentence, ports)]`` of the ports of a manifest: neighbours of one role, or of one stream, together.

    The sentence ends with what the bits stand for, if the role states it. The inputs of a group come before its outputs.
    """

    def sentence(port):
        text = ROLES[port["role"]].format(port["name"].rpartition("_")[0])
        bits = ", ".join(port.get("bits", ()))
        return f"{text} From bit 0: {bits}." if bits else text

    return [(about, sorted(group, key=itemgetter("direction"))) for about, group in groupby(ports, sentence)]
