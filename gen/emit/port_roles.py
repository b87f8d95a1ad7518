"""Roles that follow from the signature of a component: addresses, streams, links of flits, fields of structures."""

from amaranth.lib import data, stream
from amaranth.lib.wiring import FlippedSignature

from dsnswitch.gen.emit.ports import flat_ports
from dsnswitch.gen.fields import fields

__all__ = ["port_roles"]


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
