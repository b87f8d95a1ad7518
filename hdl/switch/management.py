"""Status and control of a switch over APB: the registers of the switch and of its ports."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.port.status import status_layout
from dsnswitch.hdl.registers.apb import Apb, ApbTarget
from dsnswitch.hdl.registers.description import WORD
from dsnswitch.hdl.registers.register_file import RegisterFile
from dsnswitch.hdl.switch.host_patience import PATIENCE
from dsnswitch.hdl.switch.notice import NOTICE_COUNTERS, notice_counts
from dsnswitch.hdl.switch.port_registers import FlitsSignature, PortRegisters, link_counters
from dsnswitch.hdl.switch.register_map import address_words, fabric_ports, register_map

__all__ = ["Management"]

#: Inputs of the core's tables that are bits of the register ``control``.
_CONTROLS = {"mode": "control_table_mode", "loaded": "control_table_loaded"}


class Management(wiring.Component):
    """Registers of a switch, as an APB target. It observes the switch, and drives what it controls from registers.

    Parameters
    ----------
    shape : CoreShape
    inputs : dict
        ``{name: width}`` of the inputs of the core's tables, which are outputs here.
    link : str
        Kind of the fabric links.

    Members
    -------
    apb : In(Apb)
    own_address : In
        Address of the switch as one number.
    clear : Out(1)
        Sets the counters of all fabric ports, and of notices, to 0.
    <input of the tables> : Out
        ``write`` and its fields, ``mode``, ``loaded``; ``dead`` has a bit for each port of the network.
    notice_counts : In(notice_counts)
        With detours: counters of :class:`Notifier`.
    <port> : In(rx, tx, rx_credit, credit_stalls, events, status, locked), Out(down)
        What a port shows, as in :class:`PortRegisters`; the last three of fabric ports, and with a selected link
        also ``is_strict`` and ``strict``. Host ports have ``untaken`` and ``patience``.
    """

    def __init__(self, shape, inputs, link="light"):
        self._shape, self._inputs, self._selects = shape, dict(inputs), link == "selected"
        #: Names of the inputs of the core that are driven.
        self.driven = tuple(inputs)
        self.registers = registers = register_map(shape, link_counters(), self._inputs, link)
        self._words = registers.stride // 4
        address = sum(field.width for field in shape.network.fields)
        super().__init__(
            {
                "apb": In(Apb(registers.address_width)),
                "own_address": In(max(address, 1)),
                "clear": Out(1),
                **({"notice_counts": In(notice_counts())} if shape.has_detours else {}),
                **{name: Out(width) for name, width in self._inputs.items()},
                **{port.name: In(_seen(port, self._selects)) for port in shape.ports},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.target = target = ApbTarget(self.registers)
        wiring.connect(m, wiring.flipped(self.apb), target.apb)
        (_, group), *ports = self.registers.slots
        m.submodules.device = device = RegisterFile(group, self._words)
        wiring.connect(m, target.device, device.access)
        links = [self._port(m, target, device, port, group) for port, (_, group) in zip(self._shape.ports, ports)]
        links = [link for link in links if link is not None]
        for word in range(-(-len(links) // WORD)):
            up = Cat(link.is_up for link in links[word * WORD : (word + 1) * WORD])
            m.d.comb += getattr(device, f"links_up_{word}_bits").eq(up)
        for word in range(address_words(self._shape)):
            part = self.own_address[word * WORD : (word + 1) * WORD]
            m.d.comb += getattr(device, f"own_address_{word}_bits").eq(part)
        m.d.comb += self.clear.eq(device.control_clear)
        if self._shape.has_detours:
            m.d.comb += [getattr(device, f"{name}_count").eq(self.notice_counts[name]) for name in NOTICE_COUNTERS]
        self._tables(m, device, dict(zip((port.index for port in fabric_ports(self._shape)), links)))
        return m

    def _port(self, m, target, device, port, group):
        """The registers of a port, which it returns if the port has a link."""
        shape, outside = self._shape, getattr(self, port.name)
        inner = PortRegisters(
            group, self._words, port.classes, port.channels, shape.depth, not port.is_host, self._selects
        )
        m.submodules[f"{port.name}_registers"] = inner
        wiring.connect(m, getattr(target, port.name), inner.access)
        for name, member in _seen(port, self._selects).members.items():
            if member.is_signature:
                wiring.connect(m, wiring.flipped(getattr(outside, name)), getattr(inner, name))
            elif member.flow == Out:
                m.d.comb += getattr(inner, name).eq(getattr(outside, name))
        m.d.comb += inner.clear.eq(self.clear)
        if port.is_host:
            m.d.comb += outside.patience.eq(inner.patience)
            return None
        m.d.comb += outside.down.eq(inner.down)
        if self._selects:
            m.d.comb += outside.strict.eq(inner.strict)
        return inner

    def _tables(self, m, device, links):
        """Drive the inputs of the core's tables. ``links``: registers of the ports by their index in the network."""
        for name, width in self._inputs.items():
            port = getattr(self, name)
            if name == "dead":
                m.d.comb += [port[index].eq(inner.down) for index, inner in links.items()]
            elif name in _CONTROLS:
                m.d.comb += port.eq(getattr(device, _CONTROLS[name]))
            elif name == "write":
                m.d.comb += port.eq(device.table_write_write)
            else:
                part = f"table_{name.removeprefix('write_')}"
                words = [f"{part}_{word}" for word in range(-(-width // WORD))] if width > WORD else [part]
                m.d.comb += port.eq(Cat(getattr(device, f"{word}_bits") for word in words))


def _seen(port, selects):
    """What the registers of a port see of it, from the side of the switch."""
    members = {"rx": Out(FlitsSignature(port.channels)), "tx": Out(FlitsSignature(port.channels))}
    members |= {"rx_credit": Out(port.channels), "credit_stalls": Out(port.channels), "events": Out(len(EVENTS))}
    if port.is_host:
        members |= {"untaken": Out(1), "patience": In(PATIENCE)}
    else:
        members |= {"status": Out(status_layout()), "locked": Out(1), "down": In(1)}
        members |= {"is_strict": Out(1), "strict": In(1)} if selects else {}
    return wiring.Signature(members)
