"""One end of a fabric link: flits and credits of a core's port on one side, words of the line on the other."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import FlitLink
from dsnswitch.hdl.line.light import LightLineRx, LineEncoder
from dsnswitch.hdl.line.line_format import NUMBER_BITS, SENT_BLOCK, Kind, hello_layout, link_word_layout
from dsnswitch.hdl.line.selected import SelectedLineRx, SelectedLineTx
from dsnswitch.hdl.line.strict import StrictLineRx, StrictLineTx
from dsnswitch.hdl.logic.numbers import Counter
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS
from dsnswitch.hdl.port.credits import BufferLevel, CreditCheck, CreditLedger, PoolLevel, Reports
from dsnswitch.hdl.port.losses import Acknowledgement, LostPackets, Unacknowledged
from dsnswitch.hdl.port.receiver import Receiver
from dsnswitch.hdl.port.session import Session, differences
from dsnswitch.hdl.port.shape import FabricShape
from dsnswitch.hdl.port.transmitter import Transmitter

#: Counters of the status, which saturate.
COUNTERS = (
    "corrected",
    "uncorrectable",
    "bad_packets",
    "lost_packets",
    "refused_packets",
    "dropped_flits",
    "resumed",
    "retransmitted",
    "gave_up",
    "lost_credits",
    "restarts",
)


def status_layout(virtual_networks=1):
    """State of the link, the other end's hello, what differs in it, and the counters.

    With several virtual networks, ``differing`` has a bit for each of which channels or depth differ.
    """
    several = virtual_networks > 1
    state = {"state": 3, "mismatch": len(differences(virtual_networks))} | ({"differing": virtual_networks} if several else {})
    return data.StructLayout({**state, "peer": hello_layout(several), **dict.fromkeys(COUNTERS, COUNTER_BITS)})


#: Transmitter and receiver of blocks on the line of each kind.
LINES = {
    "light": (LineEncoder, LightLineRx),
    "strict": (StrictLineTx, StrictLineRx),
    "selected": (SelectedLineTx, SelectedLineRx),
}


def _has_counts(link):
    """Whether the details of a link word's block are counts."""
    return Cat(link.kind == kind for kind in (Kind.CREDIT, Kind.RESUME, Kind.ABORT)).any()


class FabricPort(wiring.Component):
    """Joins a port of a switch core to a line.

    With the light link, the latency is 1 cycle from flit to codeword, and 1 from codeword to flit, or 0 with speculation. The
    other kinds of links take ``shape.kind.tx_latency`` cycles from a flit to the word of the line with the first bit of its
    block, and ``shape.rx_latency``, which is :attr:`latency`, from the first word of a codeword to the flit of its first block.

    Parameters
    ----------
    shape : FabricShape
        It states the kind of link, too.
    settle : int
        Words of the line in the pipeline between the unit that moves the boundary on ``slip`` and this component.
    wait : int or None for that of the kind of link
        Blocks for which received words are ignored after a start, at least those on the way to the other end and back.
    patience : int or None
        Blocks without a link word after which the link starts again, and cycles without a block. None: as ``wait``.
    controlled : bool
        With the inputs ``down`` and ``core_empty``.

    Members
    -------
    - core (Out(flit links and ``stall``)): The core's port, with the names of :class:`SwitchCore`: ``core.rx`` has flits into
      the core, ``core.tx`` flits out of it. ``core.stall`` pauses the core. With speculation ``core.confirmed`` says late
      whether the flit on ``core.rx`` counts.
    - i, o (In, Out(stream of 270 bits, or of 160 bits)): Codewords of the light link, or words of the line of the strict or the
      selected link.
    - strict, is_strict (In(1), Out(1)): Selected link only: send the strict format, and search for it first without lock; it is
      the format of the words that arrive.
    - own_address, own_port, peer_address, peer_port (In): Address of this switch and number of this port; those that the other
      end must have.
    - locked, slip (Out(1)): Lock (block lock, or codeword lock); the boundary must move by one bit.
    - clear (In(1)): Sets the counters to 0.
    - down (In(1)): With ``controlled``: the link shall not be up. The lock stays.
    - core_empty (In(channels)): With ``controlled``: the core's buffer of a channel holds no flit (:class:`CreditCheck`).
    - status (Out(status_layout)): State and counters.
    """

    #: The port has registers, also if flits take no cycle into the core.
    clocked = True

    def __init__(self, shape: FabricShape, settle=0, wait=None, patience=None, controlled=False):
        self.shape, self._controlled, self._settle, kind = shape, controlled, settle, shape.kind
        self._session = Session(shape, wait or kind.wait, patience or kind.patience)
        self.latency, self.results_per_cycle = shape.rx_latency, kind.results_per_cycle
        link = FlitLink(shape.core, shape.port)
        confirmed = {"confirmed": Out(1)} if shape.speculates else {}
        address, port = (hello_layout()[name].width for name in ("address", "port"))
        super().__init__(
            {
                "core": Out(wiring.Signature({"rx": Out(link), "tx": In(link), "stall": Out(1), **confirmed})),
                "i": In(stream.Signature(kind.word)),
                "o": Out(stream.Signature(kind.word)),
                **({"strict": In(1), "is_strict": Out(1)} if shape.link == "selected" else {}),
                "own_address": In(address),
                "own_port": In(port),
                "peer_address": In(address),
                "peer_port": In(port),
                "locked": Out(1),
                "slip": Out(1),
                "clear": In(1),
                **({"down": In(1), "core_empty": In(shape.channels)} if controlled else {}),
                "status": Out(status_layout(shape.core.virtual_networks)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        shape, session = self.shape, self._session
        m.submodules.transmitter = tx = Transmitter(shape)
        m.submodules.receiver = rx = Receiver(shape)
        m.submodules.session = session
        line_rx = self._lines(m, tx, rx)
        m.submodules.reports = reports = Reports(shape)
        m.submodules.losses = losses = LostPackets(bool(shape.replay))
        m.submodules.unacknowledged = unacknowledged = Unacknowledged()
        # Link words are read one cycle after their checks.
        link = Signal(link_word_layout(), reset_less=True)
        details = Signal(rx.details.shape(), reset_less=True)
        link_valid = Signal()
        details_valid = Signal()
        m.d.sync += [
            link.eq(rx.link),
            details.eq(rx.details),
            link_valid.eq(rx.link_valid),
            details_valid.eq(rx.details_valid),
            losses.head.eq(rx.head),
            losses.refused.eq(rx.lost_packet),
        ]
        connect_ports(m, self.core.tx, tx, ("valid", "flit"))
        connect_ports(m, session, tx, ("says_hello", "seen", "tag"))
        connect_ports(m, session, losses, ("seen", "begins", "peer_fresh"))
        connect_ports(m, self, session, ("own_address", "own_port", "peer_address", "peer_port"))
        self._connect_sizes(m, tx)
        connect_ports(m, rx, session, ("arrived",))
        connect_ports(m, tx, session, ("failed",))
        down = self.down if self._controlled else Const(0, 1)
        m.d.comb += [
            rx.active.eq(session.rx_open),
            self.core.stall.eq(tx.stall | session.counting),
            tx.active.eq(session.tx_open),
            tx.ready.eq(session.rx_open),
            tx.hello.eq(session.own),
            session.locked.eq(line_rx.locked & ~down),
            session.link_valid.eq(link_valid),
            session.link.eq(link),
            session.details_valid.eq(details_valid),
            session.offered.eq(rx.details_valid & (rx.link.kind == Kind.HELLO)),
            session.hello.eq(rx.details[: session.hello.shape().size]),
            session.counting.eq(unacknowledged.counts),
            losses.link_valid.eq(link_valid),
            losses.link.eq(link),
            unacknowledged.number.eq(tx.packets),
            unacknowledged.restarted.eq(session.begins & session.peer_fresh),
        ]
        to_core = self.core.rx
        if shape.speculates:
            connect_ports(m, rx.early, self.core, ("confirmed",))
            m.d.comb += [to_core.valid.eq(rx.early.valid), to_core.flit.eq(rx.early.flit)]
        else:
            m.d.comb += [to_core.valid.eq(rx.into), to_core.flit.eq(rx.flit)]
        self._connect_credits(m, tx, rx, reports, link, details, link_valid)
        self._count(m, tx, rx, line_rx, losses, unacknowledged)
        reported = link_valid & _has_counts(link) & session.seen
        if shape.replay:
            m.submodules.acknowledgement = acknowledgement = Acknowledgement()
            connect_ports(m, line_rx, rx, ("locked", "may_be_noise"))
            connect_ports(m, rx, tx, ("answer",))
            connect_ports(m, tx, acknowledgement, ("complete", "newest", "packets"))
            connect_ports(m, acknowledgement, unacknowledged, ("acknowledges", "arrived"))
            m.d.comb += [
                session.down.eq(down),
                rx.reported.eq(tx.counts_sent),
                tx.answered.eq(reported),
                tx.its_answer.eq(link.freed),
                acknowledgement.active.eq(session.tx_open),
                acknowledgement.update.eq(tx.answered),
                acknowledgement.accepted.eq(tx.its_answer.accepted),
            ]
        else:
            # A packet that is still open has not arrived. Heads are counted a cycle after they open a packet.
            open_packets = Signal(range(shape.channels + 1))
            m.d.sync += open_packets.eq(sum(rx.is_open))
            m.d.comb += [
                tx.answer.accepted.eq(losses.expected - open_packets),
                unacknowledged.acknowledges.eq(reported),
                unacknowledged.arrived.eq(link.freed[:NUMBER_BITS]),
            ]
        return m

    def _connect_sizes(self, m, tx):
        """The sizes of each virtual network, which hellos state."""
        session, networks = self._session, self.shape.networks
        if len(networks) == 1:
            m.d.comb += [session.channels.eq(self.shape.channels), session.depth.eq(self.shape.depth)]
            return
        connect_ports(m, tx, session, ("hello_sent",))
        for number, (channels, depth) in enumerate(networks):
            m.d.comb += [session.channels[number].eq(channels), session.depth[number].eq(depth)]

    def _lines(self, m, tx, rx):
        """Connect the units between blocks and the line. Returns the receiver."""
        of_tx, of_rx = LINES[self.shape.link]
        m.submodules.line_tx = line_tx = of_tx()
        more = {"speculative": True} if self.shape.speculates else {}
        more |= {"detect": True} if self.shape.detect else {}
        m.submodules.line_rx = line_rx = of_rx(self._settle, **more)
        connect_ports(m, tx.block, line_tx, SENT_BLOCK)
        connect_ports(m, line_tx, tx, ("taken",))
        connect_ports(m, line_rx, rx.line, rx.block(self.shape))
        connect_ports(m, line_rx, self, ("locked", "slip"))
        wiring.connect(m, line_tx.o, wiring.flipped(self.o))
        wiring.connect(m, wiring.flipped(self.i), line_rx.i)
        if self.shape.link == "selected":
            for line in (line_tx, line_rx):
                connect_ports(m, self, line, ("strict",))
            connect_ports(m, line_rx, self, ("is_strict",))
        return line_rx

    def _connect_credits(self, m, tx, rx, reports, link, details, link_valid):
        """A ledger for what is sent, a level for what arrives, for each channel; the details on the line."""
        session, shape, core = self._session, self.shape, self.core
        width = shape.count_width
        checks, pools = self._of_networks(m)
        counts = Signal()
        is_head = Signal()
        empty = Signal(shape.channels)
        m.d.sync += counts.eq(rx.details_valid & _has_counts(rx.link) & session.seen)
        m.d.comb += is_head.eq(link_valid & (link.kind == Kind.HEAD) & session.seen)
        for share, check, pool in zip(shape.port.shares, checks, pools):
            own = slice(share.first, share.first + share.channels)
            if pool:
                m.d.comb += [pool.delivered.eq(rx.into[own]), pool.credit.eq(core.rx.credit[own]), pool.lost.eq(check.lost)]
        exact = rx.details_valid & rx.none_missing & (rx.link.kind == Kind.CREDIT) & rx.link.exact
        for v in range(shape.channels):
            group = max(first for first in shape.groups if first <= v)
            place = 2 * width * (v - group)
            number = shape.port.virtual_network_of(v)
            check, pool, c = checks[number], pools[number], v - shape.port.shares[number].first
            m.submodules[f"ledger_{v}"] = ledger = CreditLedger(shape.depths[v], width)
            m.submodules[f"level_{v}"] = level = BufferLevel(shape.depths[v], width, shape.core.depth if pool else 0)
            if pool:
                m.d.comb += [getattr(pool, name)[c].eq(getattr(level, name)) for name in ("full", "above", "nearly")]
            in_details = counts & (link.entry == group)
            m.d.comb += [
                ledger.active.eq(session.tx_open),
                ledger.sent.eq(tx.sent[v]),
                ledger.dropped.eq(tx.dropped[v]),
                ledger.update.eq(in_details | is_head & (link.entry == v)),
                ledger.freed.eq(Mux(in_details, details[place : place + width], link.freed)),
                core.tx.credit[v].eq(ledger.credit),
                level.active.eq(session.rx_open),
                level.delivered.eq(rx.into[v]),
                level.lost.eq(check.lost),
                level.credit.eq(core.rx.credit[v]),
                level.update.eq(exact & (rx.link.entry == group)),
                level.sent.eq(rx.details[place + width : place + 2 * width]),
                rx.space[v].eq(level.space & pool.space[c] if pool else level.space),
                reports.sent[v].eq(ledger.count),
                reports.freed[v].eq(level.freed),
                empty[v].eq(level.empty),
            ]
        connect_ports(m, tx, reports, ("counts_sent", "entry_sent"))
        connect_ports(m, reports, tx, ("entry", "entry_freed", "details"))
        m.d.comb += [
            session.drained.eq(empty.all() & ~rx.pending),
            # With several virtual networks, the next exact count of the sender returns what one of them has lost.
            session.stale.eq(checks[0].lost if len(checks) == 1 else 0),
            *self._check(checks, rx, empty),
            reports.active.eq(session.rx_open),
            tx.urgent.eq((reports.urgent | rx.urgent) & session.tx_open),
            tx.first.eq(Mux(session.says_hello, 0, reports.first)),
        ]

    def _of_networks(self, m):
        """The credit check of each virtual network, and the level of its pool or None."""
        checks, pools, shape = [], [], self.shape
        for number, share in enumerate(shape.port.shares):
            several = f"_{number}" if len(shape.networks) > 1 else ""
            checks.append(CreditCheck())
            m.submodules[f"credit_check{several}"] = checks[-1]
            words = shape.core.pool_of(shape.port, number)
            pools.append(PoolLevel(share.channels, words) if words else None)
            if words:
                m.submodules[f"pool_level{several}"] = pools[-1]
        return checks, pools

    def _check(self, checks, rx, empty):
        """Assign what the credit check of each virtual network sees."""
        assigned = []
        for share, check in zip(self.shape.port.shares, checks):
            own = slice(share.first, share.first + share.channels)
            assigned += [
                check.buffers_empty.eq(self.core_empty[own].all() if self._controlled else 0),
                check.moves.eq(rx.into[own].any() | self.core.rx.credit[own].any()),
                check.credits_home.eq(empty[own].all()),
            ]
        self._credits_lost = Cat(check.lost for check in checks)
        return assigned

    def _count(self, m, tx, rx, line_rx, losses, unacknowledged):
        session, status = self._session, self.status
        m.d.comb += [status[name].eq(getattr(session, name)) for name in ("state", "mismatch", "peer")]
        if len(self.shape.networks) > 1:
            m.d.comb += status.differing.eq(session.differing)
        # Events that are known late.
        dropped = Signal()
        retransmitted = Signal()
        m.d.sync += [dropped.eq(tx.refused_packet), retransmitted.eq(tx.retransmitted)]
        m.d.comb += unacknowledged.pauses.eq(dropped)
        events = {
            "corrected": line_rx.corrected,
            "uncorrectable": line_rx.uncorrectable,
            "bad_packets": rx.bad_packet,
            "lost_packets": losses.lost,
            "refused_packets": dropped | unacknowledged.lost,
            "dropped_flits": rx.dropped_flit,
            "resumed": tx.resumed,
            "retransmitted": retransmitted,
            "gave_up": tx.failed,
            "lost_credits": session.stale if len(self.shape.networks) == 1 else self._credits_lost.any(),
            "restarts": session.restarted,
        }
        for name, event in events.items():
            shown = status[name]
            m.submodules[f"{name}_counter"] = counter = Counter(len(shown), len(event), split=True)
            m.d.comb += [counter.add.eq(event), counter.clear.eq(self.clear), shown.eq(counter.count)]
