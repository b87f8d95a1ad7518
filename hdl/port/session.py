"""Start of a fabric link: both ends exchange their parameters and agree, before flits flow."""

import enum

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import DETAILS_CODE, Kind, check_sums, hello_layout, link_word_layout
from dsnswitch.hdl.logic.gates import decode, selected
from dsnswitch.hdl.port.shape import SEVERAL, VERSION, FabricShape

#: Bits of a tag: whether the end is the lower one of the two, and the check bits of its port and address.
END_TAG = 1 + DETAILS_CODE.r
#: Bits of the field ``channel`` and first free bit of ``freed`` in a link word of counts.
_CHANNEL, _FREED = 5, 10


def end_tag(m, name, end, lower):
    """The tag of the end with ``(address, port)`` ``end``, which is the lower one of its cable, or not. Registered.

    By the tags in blocks of counts, an end notices words of its own, or of another port. The tags of the two ends always
    differ: one end is lower than the other. The check bits are those that details of port and address would have, so they
    differ if at most three bits of port and address differ.
    """
    address, port = end
    tag = Signal(END_TAG, name=name)
    m.d.sync += tag.eq(Cat(lower, check_sums(m, DETAILS_CODE, Cat(port, address), f"{name}_sum")))
    return tag


def tag_fields(tag):
    """Fields of the link word of counts that have the tag, with their values."""
    return {"single": tag[0], "channel": tag[1 : 1 + _CHANNEL], "freed": Cat(Const(0, _FREED), tag[1 + _CHANNEL :])}


def credit_tag(link):
    """The tag in the link word of a block of counts."""
    return Cat(link.single, link.channel, link.freed[_FREED:])


#: Fields of a hello that must be as expected, in the order of the bits of ``mismatch``.
DIFFERENCES = ("version", "flit", "channels", "depth", "packet", "replay", "address", "port")


def differences(virtual_networks):
    """Fields of a hello that must be as expected. With several virtual networks, their number is the last."""
    return (*DIFFERENCES, "virtual_networks") if virtual_networks > 1 else DIFFERENCES


class State(enum.IntEnum):
    """State of a fabric link."""

    #: No block lock: nothing is connected, or too many bits are wrong.
    UNLOCKED = 0
    #: The parameters of the other end have not arrived.
    HELLO = 1
    #: They have arrived, and ``mismatch`` names what differs.
    MISMATCH = 2
    #: They agree; the other end has not said so, or one of the two still empties its buffers.
    WAIT = 3
    #: Flits flow both ways.
    UP = 4
    #: Retransmission has given up, and the link has not come up again since.
    FAILED = 5


class Session(wiring.Component):
    """State machine of one end of the link.

    Both ends send hellos until each has received the other's and knows that its own was received. If a hello states that its
    sender has received none, although it had before, the other end has started again. This end then starts again too, so that a
    reset of one side is enough to synchronise both. It also starts again if counts arrive twice in a row with the tag of another
    end (:func:`end_tag`): the line is looped, or crossed with that of another port. After a start, received words are ignored for
    ``settle`` blocks, so that none is from before the start.

    With retransmission, a lost lock does not end a session by itself: no link word arrives without lock, so that the session ends
    after ``patience``. If the lock returns before, flits that are missing are sent again.

    With several virtual networks, each hello describes one of them, in turn. A session begins when the hello of each has been
    received and agrees. A hello that differs does not begin a wait, so that ``mismatch`` can name all that differs: it is that
    of all hellos of a round.

    Parameters
    ----------
    shape : FabricShape
    settle : int
        Blocks, at least those on the way to the other end and back.
    patience : int
        Blocks without a link word after which the link starts again, and cycles without a block.

    Members
    -------
    - own_address, own_port: Address of this switch, and number of this port.
    - peer_address, peer_port: What the other end must state.
    - channels, depth: Channels and credits per channel of this port's link: constant. With several virtual networks, an array.
    - hello_sent: With several virtual networks: a hello enters the line.
    - arrived, locked: A block has arrived; block lock.
    - link_valid, link, details_valid: A link word has arrived, and its details.
    - offered, hello: A hello has arrived, one cycle before its link word; it has the layout of the details.
    - down: With retransmission: the link shall not be up.
    - failed: Retransmission gives up: the link starts again.
    - stale: Credits of this session are lost: the link starts again.
    - counting: No flit may be sent yet: packets of the session before are being counted.
    - drained: No flit from the link is in a buffer, and no packet is open.
    - tx_open, rx_open: Flits may be sent; flits are accepted.
    - says_hello, seen: Send hellos; the other end's parameters have arrived and agree.
    - own: The details of this end's hello.
    - peer: The last hello of the other end.
    - state: Out(State)
    - mismatch: Parameters of the last hello, or round of hellos, that are not as expected, one bit each.
    - differing: With several virtual networks: those of which channels or depth differ.
    - restarted: One pulse when the link starts again.
    - tag: Tag of this end. Registered.
    - begins, peer_fresh: One pulse when the first hello of a session has been accepted; it states that its sender is fresh.
    """

    def __init__(self, shape: FabricShape, settle=256, patience=4096):
        self._shape, self._settle, self._patience = shape, settle, patience
        self._retries = bool(shape.replay)
        networks = len(shape.networks)
        self._several, self._fields = networks > 1, differences(networks)
        layout = hello_layout(self._several)
        width, port = layout["address"].width, layout["port"].width
        inputs = ("arrived", "locked", "link_valid", "details_valid", "offered")
        inputs += ("failed", "stale", "counting", "drained")
        outputs = ("tx_open", "rx_open", "says_hello", "seen", "restarted", "begins", "peer_fresh")
        super().__init__(
            {
                **dict.fromkeys(("own_address", "peer_address"), In(width)),
                **dict.fromkeys(("own_port", "peer_port"), In(port)),
                **{name: In(self._of_networks(layout[name].width)) for name in ("channels", "depth")},
                **{name: In(1) for name in inputs},
                **({"hello_sent": In(1), "differing": Out(networks)} if self._several else {}),
                **({"down": In(1)} if self._retries else {}),
                "link": In(link_word_layout()),
                "hello": In(layout),
                **{name: Out(1) for name in outputs},
                "tag": Out(END_TAG),
                "own": Out(layout),
                "peer": Out(layout),
                "state": Out(State),
                "mismatch": Out(len(self._fields)),
            }
        )

    def _of_networks(self, width):
        """A number of ``width`` bits, or one for each of several virtual networks."""
        return data.ArrayLayout(width, len(self._shape.networks)) if self._several else width

    def elaborate(self, platform):
        m = Module()
        holds = Signal(range(self._settle + 1), init=self._settle)
        # Blocks without a link word, cycles without a block.
        idle = Signal(range(self._patience + 1))
        silent = Signal(range(self._patience + 1))
        # This end has accepted the other's hello, the other has received this end's, and accepts flits.
        known = Signal()
        heard = Signal()
        granted = Signal()
        fresh = Signal(init=1)
        differs = Signal(len(self._fields))
        hears = Signal()
        is_hello = Signal()
        agrees = Signal()
        again = Signal()
        gave_up = Signal()
        is_count = Signal()
        strange = Signal()
        foreign = Signal()
        # Retransmission waits for the lock.
        away = ~self.locked & self.says_hello | self.down if self._retries else ~self.locked
        own, peer = (self.own_address, self.own_port), (self.peer_address, self.peer_port)
        lower = Signal()
        m.d.comb += lower.eq(Cat(*own) < Cat(*peer))
        expected = end_tag(m, "expected", peer, ~lower)
        m.d.comb += [
            *self._own(m, fresh),
            self.tag.eq(end_tag(m, "own_tag", own, lower)),
            # The line comes from another end than that of the hellos, or from this one. Noise rarely looks so twice.
            is_count.eq(hears & (self.link.kind == Kind.CREDIT)),
            foreign.eq(is_count & (credit_tag(self.link) != expected)),
            hears.eq(self.link_valid & ~holds.any()),
            is_hello.eq(hears & self.details_valid & (self.link.kind == Kind.HELLO)),
            agrees.eq(self._agrees(m, is_hello, differs, again)),
            # The other end has started again, or is another one.
            again.eq(
                away
                | (idle == self._patience)
                | (silent == self._patience)
                | self.failed
                | is_hello & (differs.any() & self._ends_by_difference | ~self.link.seen & heard)
                | foreign & strange
                | self.stale
            ),
            self.tx_open.eq(known & heard & granted & ~self.counting),
            self.says_hello.eq(~(known & heard)),
            self.seen.eq(known),
            self.begins.eq(agrees & ~known & ~again),
        ]
        m.d.sync += [
            differs.eq(Cat(self.hello[name] != value for name, value in self._expected())),
            self.peer_fresh.eq(self.hello.fresh),
        ]
        self._show(m, self.offered & self.locked & ~holds.any(), is_hello, differs)
        with m.If(self.link_valid | again):
            m.d.sync += idle.eq(0)
        with m.Elif(self.arrived):
            m.d.sync += idle.eq(idle + 1)
        with m.If(is_count | again):
            m.d.sync += strange.eq(foreign & ~again)
        m.d.sync += silent.eq(Mux(self.arrived | again, 0, silent + 1))
        with m.If(again):
            m.d.sync += [known.eq(0), heard.eq(0), granted.eq(0), self.rx_open.eq(0), holds.eq(self._settle)]
        with m.Else():
            with m.If(self.arrived & holds.any()):
                m.d.sync += holds.eq(holds - 1)
            with m.If(agrees):
                m.d.sync += known.eq(1)
            with m.If(hears & (known | agrees) & (~equals_hello(self.link) | agrees)):
                m.d.sync += [
                    heard.eq(heard | ~equals_hello(self.link) | self.link.seen),
                    # An end that no longer accepts flits starts again.
                    granted.eq(granted | self.link.ready),
                ]
            with m.If(known & self.drained):
                m.d.sync += self.rx_open.eq(1)
        with m.If(self.tx_open):
            m.d.sync += fresh.eq(0)
        # No m.FSM: flags of this end and of the other change independently, and the state only names what they say.
        is_up = Signal()
        m.d.comb += is_up.eq(self.tx_open & self.rx_open)
        m.d.sync += [self.restarted.eq(again & known), gave_up.eq(self.failed | gave_up & ~is_up & self.locked)]
        starting = Mux(known, State.WAIT, Mux(self.mismatch.any(), State.MISMATCH, State.HELLO))
        state = Mux(is_up, State.UP, Mux(gave_up, State.FAILED, starting))
        m.d.comb += self.state.eq(Mux(self.locked, state, State.UNLOCKED))
        return m

    @property
    def _ends_by_difference(self):
        """Whether a hello that differs begins a wait: of several virtual networks, in a session only."""
        return self.seen if self._several else 1

    def _own(self, m, fresh):
        """The hello of this end."""
        shape, own = self._shape, self.own
        channels, depth = (self.channels, self.depth) if not self._several else self._in_turn(m)
        return [
            own.version.eq(VERSION | (SEVERAL if self._several else 0)),
            own.flit.eq(shape.core.flit),
            own.channels.eq(channels),
            own.depth.eq(depth),
            own.packet.eq(shape.core.packet),
            own.replay.eq(shape.replay),
            own.address.eq(self.own_address),
            own.port.eq(self.own_port),
            own.fresh.eq(fresh),
        ]

    def _expected(self):
        """Name and value of each field that must be as expected."""
        own, hello = self.own, self.hello
        expected = {name: own[name] for name in DIFFERENCES[:6]} | {"address": self.peer_address, "port": self.peer_port}
        if self._several:
            described = decode(hello.virtual_network, len(self._shape.networks))
            expected |= {name: selected(described, [*getattr(self, name)]) for name in ("channels", "depth")}
            expected["last_network"] = own.last_network
        return list(expected.items())

    def _in_turn(self, m):
        """Channels and depth of the virtual network that this end's hello describes. Each one enters the line in its turn."""
        own, last = self.own, len(self._shape.networks) - 1
        turn = Signal(range(last + 1))
        # The block on the line may still have the previous one.
        moved = Signal()
        moves = self.hello_sent & ~moved
        m.d.sync += moved.eq(moves)
        with m.If(moves):
            m.d.sync += turn.eq(Mux(turn == last, 0, turn + 1))
        m.d.comb += [own.virtual_network.eq(turn), own.last_network.eq(last)]
        turns = decode(turn, last + 1)
        return selected(turns, [*self.channels]), selected(turns, [*self.depth])

    def _agrees(self, m, is_hello, differs, again):
        """Whether the hellos of all virtual networks have agreed with this one."""
        agrees = is_hello & ~differs.any()
        if not self._several:
            return agrees
        described = Signal(len(self._shape.networks))
        self._described = described
        agreed_then = Signal.like(described)
        agreed = Signal.like(described)
        m.d.sync += [
            described.eq(Cat(self.hello.virtual_network == number for number in range(len(described)))),
            agreed_then.eq(Mux(again, 0, agreed)),
        ]
        m.d.comb += agreed.eq(Mux(is_hello, Mux(agrees, agreed_then | described, agreed_then & ~described), agreed_then))
        return agrees & agreed.all()

    def _show(self, m, arrives, is_hello, differs):
        """Drive ``peer`` and ``mismatch``. Of several virtual networks, ``peer`` stays with the first whose hello differs."""
        if not self._several:
            with m.If(arrives):
                m.d.sync += self.peer.eq(self.hello)
            with m.If(~self.locked):
                m.d.sync += self.mismatch.eq(0)
            with m.Elif(is_hello):
                m.d.sync += self.mismatch.eq(differs)
            return
        # Of the previous hellos of the round; the hello in ``peer`` differs.
        gathered = Signal.like(differs)
        networks = Signal.like(self.differing)
        differs_now = Signal.like(differs)
        networks_now = Signal.like(networks)
        ends = Signal()
        shown = Signal()
        stays = Signal()
        sizes = Cat(differs[self._fields.index(name)] for name in ("channels", "depth")).any()
        m.d.comb += [
            differs_now.eq(gathered | differs),
            networks_now.eq(networks | self._described & sizes.replicate(len(networks))),
        ]
        stays_now = Mux(is_hello & shown, differs.any(), stays)
        takes = arrives & (~stays_now | (self.hello.virtual_network == self.peer.virtual_network))
        m.d.sync += [
            shown.eq(takes),
            stays.eq(stays_now & self.locked),
            ends.eq(self.hello.virtual_network == self.hello.last_network),
        ]
        with m.If(takes):
            m.d.sync += self.peer.eq(self.hello)
        with m.If(~self.locked):
            m.d.sync += [self.mismatch.eq(0), self.differing.eq(0), gathered.eq(0), networks.eq(0)]
        with m.Elif(is_hello):
            m.d.sync += [gathered.eq(Mux(ends, 0, differs_now)), networks.eq(Mux(ends, 0, networks_now))]
            with m.If(ends):
                m.d.sync += [self.mismatch.eq(differs_now), self.differing.eq(networks_now)]


def equals_hello(link):
    """Whether a link word is that of a hello."""
    return ~link.kind.any()
