"""Route logic of a DSN switch with detours: the next hop of a packet past the failed links of its own switch."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import connect

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.detour_local import LocalDetour
from dsnswitch.hdl.routing.detour_options import NextShortcut, OptionChoice
from dsnswitch.hdl.routing.terms import DsnComponent
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.net.routing.detour.decisions import header_width
from dsnswitch.net.routing.detour.relation import DetourRelation
from dsnswitch.net.topology.dsn import Dsn


class DetourRoute(DsnComponent):
    """Table-free route logic with detours around failed links of this switch (:class:`DetourRelation`).

    Parameters
    ----------
    network, node
        As for :class:`DsnComponent`.
    classes : int or None
        Virtual channel classes, at least 2; None for as many as every single failed link needs.

    Members
    -------
    - own, dst, out_port, arrived, invalid: As for :class:`DsnComponent`.
    - in_port (In(ports)): Port on which the packet came, one-hot; 0 from a host.
    - in_class (In(ceil(log2 classes))): Virtual channel class on which the packet came; 0 from a host.
    - in_state (In(3 or 4)): Header bits (:func:`pack`); 0 from a host. The fourth bit exists only with two dimensions.
    - dead (In(ports)): Ports whose link has failed. The bit of a port without a link has no effect.
    - out_class (Out(ceil(log2 classes))): Virtual channel class of the next hop, on every kind of port.
    - out_state (Out(3 or 4)): Header bits of the next hop.
    - returns (Out(1)): The packet came on a local link, and may go back on it.
    - undeliverable (Out(1)): No link that is up leads on, or no virtual channel class is left.

    Without a port, ``out_class`` is ``in_class``. ``out_state`` then has the bits of the hop for which there is no link or no
    class; with ``arrived`` and ``invalid`` it has only the bit ``y_first``, unchanged.
    """

    def __init__(self, network: Dsn, node=None, *, classes=None):
        self._classes = DetourRelation(network, classes).classes["local"]
        count, width, bits = len(network.ports), (self._classes - 1).bit_length(), header_width(network)
        super().__init__(
            network,
            node,
            **dict.fromkeys(("in_port", "dead"), count),
            **dict.fromkeys(("in_class", "out_class"), width),
            **dict.fromkeys(("in_state", "out_state"), bits),
            **dict.fromkeys(("returns", "undeliverable"), 1),
        )

    def elaborate(self, platform):
        m = Module()
        dsn = self._network
        own, done, choice = self._chosen(m)
        is_final = Signal()
        m.d.comb += is_final.eq(Cat(done).all())
        final_id = decode(self._dst("id"), dsn.m)
        is_here = is_final & (final_id & own).any()

        target = choice.target if choice else Const(0, dsn.m)
        hop, alternative = self._local(m, "onward", own, Mux(is_final, final_id & ~own, target), True)
        if choice:
            # A packet that gives up a shortcut forgets the failed local link, and may go back to the port on which it came.
            other_hop, other_alternative = self._local(m, "instead", own, choice.detour_target, False)
            hop = Mux(choice.given_up, other_hop, hop)
            alternative = Mux(choice.given_up, other_alternative, alternative)
        is_outside = Signal()
        m.d.comb += is_outside.eq(self._outside(m))
        # A packet that has arrived has no port here.
        port = Signal(len(self.out_port))
        m.d.comb += port.eq(Mux(is_outside, 0, Cat(hop, choice.shortcut) if choice else hop))
        m.submodules.turns = turns = Turns(dsn, self._classes)
        connect_ports(m, self, turns, ("in_port", "in_class"))
        m.d.comb += [turns.own.eq(own), turns.goes_up.eq((port & turns.rising).any())]
        is_over = turns.is_over
        self._answer(
            m,
            out_port=Mux(is_over, 0, port),
            out_class=turns.out_class,
            out_state=self._header(choice, port[: len(hop)].any(), alternative, is_outside),
            # A detour may go back on a local link.
            returns=self.in_port[: len(hop)].any(),
            arrived=is_here & ~is_outside,
            undeliverable=~is_outside & ~is_here & (is_over | ~port.any()),
            invalid=is_outside,
        )
        return m

    def _chosen(self, m):
        """Own id, one-hot; whether each dimension is done; and the :class:`OptionChoice`, or None."""
        dsn = self._network
        own = Signal(dsn.m)
        m.d.comb += own.eq(decode(self._own("id"), dsn.m))
        if not self._rings:
            return own, [Const(1, 1)], None
        levels = tuple((size - 1).bit_length() for size in self._rings.values())
        m.submodules.option_choice = choice = OptionChoice(levels, dsn.m)
        m.d.comb += [
            choice.own.eq(own),
            choice.dead.eq(self.dead[len(dsn.supernode.port_names) :]),
            choice.mode.eq(self.in_state[:2]),
        ]
        if len(levels) == 2:
            m.d.comb += choice.y_first.eq(self.in_state[3])
        done = []
        for name, shortcut in zip(self._rings, (choice.first, choice.second) if len(levels) == 2 else (choice.first,)):
            terms = self._terms(m, name, True)
            m.submodules[f"ring_{name}"] = ring = NextShortcut(terms.signature)
            connect(m, terms, ring.terms)
            connect(m, ring.next, shortcut)
            m.d.comb += ring.dst.eq(self._dst(name))
            done.append(ring.next.done)
        return own, done, choice

    def _local(self, m, name, own, target, remembers):
        """Local hop toward ``target``, and the header bit ``alternative`` after it.

        ``remembers``: the header says whether the packet has met a failed link, and the port on which it came is the last choice.
        """
        count = len(self._network.supernode.port_names)
        m.submodules[name] = local = LocalDetour(self._network.supernode)
        m.d.comb += [local.own.eq(own), local.target.eq(target), local.dead.eq(self.dead[:count])]
        if remembers:
            m.d.comb += [local.alternative.eq(self.in_state[2]), local.back.eq(self.in_port[:count])]
        return local.hop, local.next_alternative

    def _header(self, choice, is_local, alternative, is_outside):
        """Header bits of the next hop."""
        alternative = alternative & ~is_outside
        if choice is None:
            return Cat(Const(0, 2), alternative)
        bits = [Mux(is_local, choice.next_mode, 0), alternative]
        return Cat(*bits, self.in_state[3] | choice.turns_to_y & ~is_outside) if len(self.in_state) == 4 else Cat(bits)
