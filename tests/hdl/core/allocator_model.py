"""Model of the allocator of an output: which heads are eligible by counts of credits, and the arbiter's choice among them."""

from math import isqrt

from dsnswitch.hdl.core.ring_pause import PASSES

from .arbiter_models import ArbiterModel, NetworkModel


class PoolModel:
    """:class:`PoolCounter`: what each channel claims, and the decisions, which are one cycle old."""

    def __init__(self, channels, packet, reserved, pool, limit):
        self.packet, self.reserved, self.pool, self.limit = packet, reserved, pool, limit
        self.claims, self.rests = [0] * channels, [0] * channels
        self.able, self.has_space, self.recent = [True] * channels, True, False

    def fits(self, chose):
        """Of each channel whether a packet may begin by the pool."""
        return [able and self.has_space and not self.recent and not chose for able in self.able]

    def advance(self, sent, tail, is_head, credits, stall):
        """A cycle in which a flit is ``sent`` on this channel, or None."""
        beyond = [claim - self.reserved for claim in self.claims]
        self.able = [more <= self.limit - self.packet and not stall for more in beyond]
        self.has_space = sum(max(0, more) for more in beyond) <= self.pool - self.packet
        self.recent = sent is not None and is_head
        if sent is not None:
            rest = (self.packet if is_head else self.rests[sent]) - 1
            self.claims[sent] += is_head * self.packet - rest * tail
            self.rests[sent] = 0 if tail else rest
        for c, credit in enumerate(credits):
            self.claims[c] -= credit and (self.claims[c] > 0 or c == sent)


class AllocatorModel:
    """:class:`Allocator`, whose inputs :meth:`step` takes as lists of one value per source, or sets of sources.

    ``starts`` has ``(channel, whether it is a single flit)`` of each source whose head asks, else None; ``front`` the channel of
    its flit in front.
    """

    def __init__(self, shape, port, sources, speculative=False):
        self.shape, self.packet, self.ring = shape, shape.packet, shape.ring_sources(port)
        self.channels, self.networks = range(port.channels), range(len(port.shares))
        self.has_levels = bool(shape.priorities)
        #: Whether what was to be kept may not have been granted.
        self.filters = self.has_levels or speculative
        self.network_of = [port.virtual_network_of(c) for c in self.channels]
        self.levels, self.weights = (
            list(shape.priorities) or [0] * len(port.shares),
            list(shape.weights) or [1] * len(port.shares),
        )
        limits = [shape.limit_of(port, number) for number in self.networks]
        self.spares = [1 if self.ring else limits[number] for number in self.network_of]
        self.most = [shape.most(port, number) for number in self.network_of]
        self.left = list(self.most)
        self.pools = [
            shape.pool_of(port, number)
            and PoolModel(share.channels, self.packet, shape.depth, shape.pool_of(port, number), limits[number])
            for number, share in enumerate(port.shares)
        ]
        several = shape.virtual_networks > 1
        self.inputs = [shape.sources_of(number) for number in self.networks] if several else [tuple(range(sources))]
        parts = [ArbiterModel(len(own), share.channels, isqrt(len(own) - 1) + 1) for own, share in zip(self.inputs, port.shares)]
        self.model = NetworkModel(parts, self.packet, shape.weights) if several else parts[0]
        self.grant, self.chose, self.stalled, self.resumes = None, False, False, set()
        nothing = [False] * port.channels
        self.held, self.freed, self.longs, self.ring_longs, self.free = (list(nothing) for _ in range(5))
        self.denied, self.passed, self.asked = list(nothing), [0] * port.channels, list(nothing)

    def can_send(self, c, bound, uses):
        """Whether the credits suffice, after a flit more if it ``uses`` one."""
        return self.left[c] - uses >= bound and not self.stalled

    def step(self, starts, bodies, front, tails, drops, ends, credits, stall, bad=(), resume=False):
        """One cycle. Returns the channel on which a flit is sent, or None; :attr:`grant` and :attr:`free` are as after it."""
        g, packet = self.grant, self.packet
        sent = None if g is None or g in drops else front[g]
        is_tail, is_head = sent is not None and g in tails, sent is not None and not self.held[sent]
        after = [(held or c == sent) and not (c == sent and is_tail) for c, held in enumerate(self.held)]
        pooled = [fit for pool, number in zip(self.pools, self.networks) for fit in self.pool_fits(pool, number)]
        whole = [packet + spare for spare in self.spares]
        free = [not after[c] and (self.can_send(c, whole[c], c == sent) or pooled[c]) for c in self.channels]
        if packet == 1:
            heads, going, kept = [(free[c], free[c]) for c in self.channels], [set() for _ in self.channels], None
            rings = [not after[c] and self.can_send(c, 1, c == sent) for c in self.channels]
            denied = [False for _ in self.channels]
        else:
            going = [{v for v in bodies if front[v] == c and self.can_send(c, 1, v == g)} for c in self.channels]
            kept = next(iter(set().union(*going) & ({g} | self.resumes)), None)
            heads, rings, denied = self.heads(pooled, whole)
        long = [[v for v, one in enumerate(starts) if one and one == (c, False)] for c in self.channels]
        request, pausing = going, [passed == PASSES for passed in self.passed]
        for v, one in enumerate(starts):
            if one:
                c, single = one
                by_ring = self.ring and self.ring[c] == v and rings[c] and not pausing[c]
                if heads[c][single] or by_ring:
                    request[c].add(v)
        self.advance_ring(starts, sent, is_head, pausing, resume)
        self.longs = [bool(some) for some in long]
        self.ring_longs = [bool(self.ring) and self.ring[c] in long[c] for c in self.channels]
        self.denied = [self.passes_denial(denied, c) for c in self.channels]
        self.freed = [kept is not None and kept in ends and front[kept] == c for c in self.channels]
        if len(self.channels) > 1:
            self.resumes = ({g} | self.resumes) - {None} if self.stalled else set()
        for number, pool in enumerate(self.pools):
            own = [c for c in self.channels if self.network_of[c] == number]
            if pool:
                pool.advance(own.index(sent) if sent in own else None, is_tail, is_head, [credits[c] for c in own], stall)
        self.left = [min(most, left - (c == sent) + credits[c]) for c, (most, left) in enumerate(zip(self.most, self.left))]
        self.held, self.free, self.stalled = after, free, stall
        self.arbitrate(request, kept, bad)
        return sent

    def pool_fits(self, pool, number):
        return pool.fits(self.chose) if pool else [False] * self.network_of.count(number)

    def heads(self, pooled, whole):
        """Of each channel ``(whether a long head, a single one is eligible)``, one of the ring, whether one is denied."""
        kept_counts = self.grant is not None and not (self.has_levels and self.chose)
        found, rings, denied = [], [], []
        for c in self.channels:
            freed = self.freed[c] and (kept_counts or not self.filters)
            is_free, uses = not self.held[c] or freed, self.chose or freed
            begins = is_free and not (self.chose and (self.longs[c] or self.denied[c]))
            long = begins and (self.can_send(c, whole[c], uses) or pooled[c])
            single = begins and (self.can_send(c, 1 + self.spares[c], uses) or pooled[c])
            found.append((long, long if self.longs[c] else single))
            rings.append(begins and self.can_send(c, 1, uses))
            waits = (self.longs[c] and self.can_send(c, whole[c], 0)) or (self.ring_longs[c] and self.can_send(c, 1, 0))
            denied.append(is_free and self.chose and waits)
        return found, rings, denied

    def passes_denial(self, denied, c):
        """Whether a head that was denied keeps others from beginning on channel ``c``."""
        levels, networks = self.levels, self.network_of
        return any(bit for bit, other in zip(denied, networks) if levels[other] >= levels[networks[c]])

    def advance_ring(self, starts, sent, is_head, pausing, resume):
        for c, source in enumerate(self.ring):
            begins = c == sent and is_head
            if (begins and self.grant != source) or (pausing[c] and resume):
                self.passed[c] = 0
            elif begins and self.asked[c] and not pausing[c]:
                self.passed[c] += 1
            self.asked[c] = any(one and one[0] == c for v, one in enumerate(starts) if v != source)

    def arbitrate(self, request, kept, bad):
        """The grant and whether it was chosen."""
        places = {v: (number, own.index(v)) for number, own in enumerate(self.inputs) for v in own}
        asks = [
            [{places[v][1] for v in ask} for c, ask in enumerate(request) if self.network_of[c] == number]
            for number in self.networks
        ]
        if len(self.networks) > 1:
            pair = kept if kept is None else places[kept]

            def counts(number, one):
                return self.inputs[number][one] not in bad

            granted, self.chose = self.model.step(asks, pair, counts, self.levels, self.weights)
            self.grant = granted and self.inputs[granted[0]][granted[1]]
            return
        choice = self.model.choose(request) if kept is None else None
        wins = kept if kept is not None else choice and choice[1]
        self.chose = choice is not None
        self.grant = self.model.serve(choice, kept, wins is not None and wins not in bad)
