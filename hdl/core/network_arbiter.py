"""Arbiter of an output with several virtual networks."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import MatrixArbiter, Ordered


class NetworkArbiter(Ordered):
    """Grants an output to one of the inputs that ask for its channels, of several virtual networks. Latency 1 cycle.

    Each virtual network has a :class:`MatrixArbiter` of its own, which knows only its inputs and channels. The grant goes to the
    virtual network that was granted least recently of those in which an input asks. All choices are made at the same time.

    While an input of a virtual network waits for a channel, each other virtual network is granted at most once between two
    grants to its own, and grants of others leave the orders of its own as they are. So the bound of :class:`MatrixArbiter` holds
    in each virtual network, whatever is asked for in others.

    Parameters
    ----------
    inputs, channels : sequence of sequence of int
        Of each virtual network: its inputs and its channels. Together they are all numbers from 0, each once.
    speculative, ranked : bool
        As of :class:`MatrixArbiter`.

    Members
    -------
    - request, keep, unconfirmed, grant, chose: As of :class:`MatrixArbiter`, of all inputs and channels. Only inputs of the
      virtual network of a channel can ask for it.
    - above, below (In(pairs)): With ``ranked``: those of the pairs of each virtual network, one virtual network after the other.
    """

    def __init__(self, inputs, channels, speculative=False, ranked=False):
        self.inputs, self.channels = inputs, channels
        self._speculative, self._ranked = speculative, ranked
        #: The arbiter of each virtual network.
        self.arbiters = [
            MatrixArbiter(len(own), len(own_channels), speculative, ranked, is_one_of_several=True)
            for own, own_channels in zip(inputs, channels)
        ]
        self._networks = range(len(inputs))
        self._order_of_networks = self._order("network_order", self._networks)
        count = sum(map(len, inputs))
        more = {"unconfirmed": In(count)} if speculative else {}
        pairs = sum(len(arbiter.order) for arbiter in self.arbiters)
        more |= dict.fromkeys(("above", "below"), In(pairs)) if ranked else {}
        request = data.ArrayLayout(count, sum(map(len, channels)))
        super().__init__({"request": In(request), "keep": In(count), **more, "grant": Out(count), "chose": Out(1)})

    @property
    def order(self):
        """For each pair ``(low, high)`` of virtual networks whether ``low`` comes before ``high``, without the last grant."""
        return self._pairs(self._networks, self._order_of_networks)

    def elaborate(self, platform):
        m = Module()
        asks = Signal(len(self.inputs))
        served = Signal(len(self.inputs))
        keeps = Signal(len(self.inputs))
        order = self._update(m, self._networks, self._order_of_networks, served)
        ahead = self._ahead(m, "network_before", self._networks, order)
        first_pair = 0
        for number, (arbiter, inputs, channels) in enumerate(zip(self.arbiters, self.inputs, self.channels)):
            m.submodules[f"virtual_network_{number}"] = arbiter
            wins = asks[number] & ~self._loses(asks, number, ahead)
            m.d.comb += [
                *(own.eq(Cat(self.request[c][one] for one in inputs)) for own, c in zip(arbiter.request, channels)),
                arbiter.keep.eq(Cat(self.keep[one] for one in inputs)),
                keeps[number].eq(arbiter.keep.any()),
                asks[number].eq(arbiter.asks),
                arbiter.passes.eq(Mux(keeps.any(), keeps[number], wins)),
                served[number].eq(arbiter.grant.any()),
                *(self.grant[one].eq(bit) for one, bit in zip(inputs, arbiter.grant)),
            ]
            if self._speculative:
                m.d.comb += arbiter.unconfirmed.eq(Cat(self.unconfirmed[one] for one in inputs))
            if self._ranked:
                last_pair = first_pair + len(arbiter.order)
                m.d.comb += [getattr(arbiter, name).eq(getattr(self, name)[first_pair:last_pair]) for name in ("above", "below")]
                first_pair = last_pair
        m.d.comb += self.chose.eq(Cat(arbiter.chose for arbiter in self.arbiters).any())
        return m
