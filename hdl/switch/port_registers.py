"""Registers and counters of one port of a switch."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.logic.counter import Counter
from dsnswitch.hdl.port.session import DIFFERENCES, State
from dsnswitch.hdl.port.status import status_layout
from dsnswitch.hdl.registers.description import Group
from dsnswitch.hdl.registers.register_file import RegisterFile, access_signature
from dsnswitch.hdl.switch.host_patience import PATIENCE

__all__ = ["FlitsSignature", "PortRegisters"]

#: Marks of a flit that are counted.
MARKS = data.StructLayout({"head": 1, "tail": 1, "bad": 1})


class FlitsSignature(wiring.Signature):
    """Flits between a port and the core, in one direction.

    Members
    -------
    valid : Out(channels)
        A flit passes on this channel, one-hot.
    marks : Out(MARKS)
        Its marks.
    """

    def __init__(self, channels):
        super().__init__({"valid": Out(channels), "marks": Out(MARKS)})


class PortRegisters(wiring.Component):
    """Registers of a port with the counters that they show. Every counted event is registered before it is counted.

    Parameters
    ----------
    group : Group
        The port's registers.
    words : int
        Words of the slot.
    classes, channels, depth : int
        Virtual channel classes and channels of the port; flits of a buffer.
    has_link : bool
        Whether it is a fabric port.
    selects : bool
        Whether the code of its link is selected at run time.

    Members
    -------
    access : In(access_signature)
    clear : In(1)
        Counters and greatest fills begin anew.
    rx, tx : In(FlitsSignature), In(FlitsSignature)
        Flits from the port to the core, and from the core to the port.
    rx_credit : In(channels)
        Flits that leave the input buffers.
    events : In(7)
        Events of the core at this port.
    credit_stalls : In(channels)
        Packets wait for credits of an output channel.
    status, locked, is_up, down : In(status_layout), In(1), Out(1), Out(1)
        Of a fabric port: its status and lock; whether the link is up, registered; the link shall be down.
    untaken, patience : In(1), Out(PATIENCE)
        Of a host port, as in :class:`HostPatience`.
    is_strict, strict : In(1), Out(1)
        Of a selected link: the format that arrives; the format to send.
    """

    def __init__(self, group: Group, words, classes, channels, depth, has_link, selects=False):
        self._group, self._classes, self._depth, self._has_link = group, classes, depth, has_link
        self._selects = has_link and selects
        self._file = RegisterFile(group, words)
        link = {"status": In(status_layout()), "locked": In(1), "is_up": Out(1), "down": Out(1)}
        link |= {"is_strict": In(1), "strict": Out(1)} if selects else {}
        host = {"untaken": In(1), "patience": Out(PATIENCE)}
        super().__init__(
            {
                "access": In(access_signature(words)),
                "clear": In(1),
                "rx": In(FlitsSignature(channels)),
                "tx": In(FlitsSignature(channels)),
                "rx_credit": In(channels),
                "events": In(len(EVENTS)),
                "credit_stalls": In(channels),
                **(link if has_link else host),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.registers = file = self._file
        wiring.connect(m, wiring.flipped(self.access), file.access)
        for name, event in self._events(m).items():
            m.submodules[f"{name}_counter"] = counter = Counter()
            m.d.comb += [
                counter.add.eq(event),
                counter.clear.eq(self.clear),
                getattr(file, f"{name}_count").eq(counter.count),
            ]
        self._fills(m, file)
        if self._has_link:
            self._link(m, file)
        else:
            m.d.comb += self.patience.eq(file.patience_cycles)
        return m

    def _events(self, m):
        """``{counter: registered event}``."""
        found = {}
        for way, flits in (("in", self.rx), ("out", self.tx)):
            valid, marks = flits.valid.any(), flits.marks
            found |= {
                f"flits_{way}": valid,
                f"packets_{way}": valid & marks.head,
                f"bad_{way}": valid & marks.tail & marks.bad,
            }
        found |= dict(zip(EVENTS, self.events))
        found |= {} if self._has_link else {"untaken_packets": self.untaken}
        channels = len(self.credit_stalls) // self._classes
        for c in range(self._classes):
            found[f"credit_stalls_{c}"] = self.credit_stalls[c * channels : (c + 1) * channels].any()
        registered = {}
        for name, event in found.items():
            registered[name] = Signal(name=f"{name}_now")
            m.d.sync += registered[name].eq(event)
        return registered

    def _fills(self, m, file):
        """Flits that hold a credit of each input channel, and their greatest number."""
        arrives = Signal.like(self.rx.valid)
        leaves = Signal.like(self.rx_credit)
        m.d.sync += [arrives.eq(self.rx.valid), leaves.eq(self.rx_credit)]
        for v in range(len(self.rx.valid)):
            fill = Signal(range(self._depth + 1), name=f"fill_{v}")
            greatest = Signal(range(self._depth + 1), name=f"greatest_{v}")
            m.d.sync += fill.eq(Mux(arrives[v] & ~leaves[v], fill + 1, Mux(leaves[v] & ~arrives[v], fill - 1, fill)))
            with m.If(self.clear | (fill > greatest)):
                m.d.sync += greatest.eq(fill)
            m.d.comb += getattr(file, f"greatest_fill_{v}_flits").eq(greatest)

    def _link(self, m, file):
        """State of the link, the other end, and the counters of the fabric port."""
        status, peer = self.status, self.status.peer
        m.d.sync += self.is_up.eq(status.state == State.UP)
        m.d.comb += [
            file.link_state.eq(status.state),
            file.link_locked.eq(self.locked),
            Cat(getattr(file, f"link_differs_{name}") for name in DIFFERENCES).eq(status.mismatch),
            self.down.eq(file.port_control_down),
            file.link_events_went_down.eq(self.is_up & (status.state != State.UP)),
            Cat(file.peer_address_0_bits, file.peer_address_1_bits).eq(peer.address),
            *(getattr(file, f"peer_{name}").eq(peer[name]) for name in ("version", "port", "channels", "packet")),
            *(getattr(file, f"peer_sizes_{name}").eq(peer[name]) for name in ("flit", "depth")),
        ]
        m.d.comb += [getattr(file, f"{name}_count").eq(status[name]) for name in link_counters()]
        if self._selects:
            m.d.comb += [file.link_is_strict.eq(self.is_strict), self.strict.eq(file.port_control_strict)]


def link_counters():
    """``{name: width}`` of the counters in the status of a fabric port: every field that is no state."""
    return {name: field.width for name, field in status_layout() if name not in ("state", "mismatch", "peer")}
