"""Packets as a host sees them: the payload of its streams, and AXI4-Stream."""

from typing import ClassVar

from amaranth.hdl import Cat, Const
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header

__all__ = ["HOST_INTERFACES", "beat_layout", "check_host_interface", "host_address", "host_signature", "user_layout"]

#: How a host is attached. ``flit``: flits and credits of the core; ``stream``: a stream of flits; ``axi``: AXI4-Stream.
HOST_INTERFACES = ("flit", "stream", "axi")


def check_host_interface(shape, interface):
    """Raise a ValueError if hosts of a switch cannot be attached so."""
    if interface not in HOST_INTERFACES:
        raise ValueError(f"Host interface must be one of {', '.join(HOST_INTERFACES)}, not {interface!r}")
    if interface == "axi" and shape.flit % 8:
        raise ValueError(f"Flit width for AXI4-Stream must be a multiple of 8, not {shape.flit}")


def host_address(shape, own_address, number):
    """Address of host ``number`` of the switch with ``own_address``."""
    return Cat(own_address, Const(number, (shape.hosts - 1).bit_length()))


def user_layout(shape, to_host=False):
    """What a packet brings besides data and address: TUSER of AXI4-Stream.

    ``length`` in flits, and the ``layer`` if there are several; ``bad`` counts with the last flit: the packet must not be used.
    With detours, a packet to a host (``to_host``) has two more bits: ``undeliverable``, the packet is for another host and no
    detour leads on; ``notice``, it is a notice (:class:`NoticeFormat`).
    """
    fields = Header(shape).fields
    marks = ("undeliverable", "notice") if to_host and shape.has_detours else ()
    names = [name for name in ("length", "layer") if name in fields]
    return data.StructLayout({name: fields[name] for name in names} | dict.fromkeys(("bad", *marks), 1))


def beat_layout(shape, to_host=False):
    """One flit of a packet.

    ``address`` is the destination of a packet to the switch, and the source of a packet from it. ``address``, ``length`` and
    ``layer`` of a packet to the switch are read with its first flit; of a packet from the switch they are valid with each flit.
    """
    return data.StructLayout(
        {"data": shape.flit, "address": Header(shape).address, "user": user_layout(shape, to_host), "last": 1}
    )


def host_signature(shape, interface):
    """Ports of a host, as the switch sees them: ``rx`` brings packets to the switch, ``tx`` takes them to the host."""
    if interface == "stream":
        ways = (stream.Signature(beat_layout(shape, to_host)) for to_host in (False, True))
    else:
        ways = AxiStream(shape, "tdest"), AxiStream(shape, "tid")
    rx, tx = ways
    return wiring.Signature({"rx": In(rx), "tx": Out(tx)})


class AxiStream(wiring.Signature):
    """AXI4-Stream of packets, as the transmitter sees it. Every byte counts, so there is no TKEEP.

    Parameters
    ----------
    shape : CoreShape
    address : str
        Member with the packet's address: ``tdest`` to the switch, ``tid`` from it.

    Members
    -------
    tvalid, tready : Out(1), In(1)
        A flit moves in each cycle in which both are 1.
    tdata : Out(shape.flit)
        Data of a flit.
    tdest or tid : Out(address of the header)
        Destination, or source, of the packet.
    tuser : Out(user_layout)
        Length and other properties of the packet.
    tlast : Out(1)
        The flit is the last of its packet.
    """

    #: What the manifest of a top says of the members: their role, with the direction before it, and their encodings.
    ROLE = "axi"
    ENCODINGS: ClassVar = {"tvalid": "flag", "tready": "flag", "tlast": "flag"}

    def __init__(self, shape, address):
        super().__init__(
            {
                "tvalid": Out(1),
                "tready": In(1),
                "tdata": Out(shape.flit),
                address: Out(Header(shape).address),
                "tuser": Out(user_layout(shape, address == "tid")),
                "tlast": Out(1),
            }
        )
