"""Walks of many packets at once, as arrays, through a DSN with failed links."""

from collections import namedtuple
from itertools import product
from typing import Any

import numpy as np

from dsnswitch.net.routing.detour.decisions import Mode, goes_up, local_hop, options, pack, unpack
from dsnswitch.net.routing.wiring import neighbours

#: Results of walks, one row per packet. ``end`` is the last switch. A packet is delivered if ``end`` is its destination.
Walked = namedtuple("Walked", "end hops virtual_class")

_Options = namedtuple("_Options", "leaves port bits")
_Flight = namedtuple("_Flight", "walk switch target back entry bits virtual_class")

#: Number of header values, and bits of a header (:func:`pack`).
_HEADERS = 16
_ALTERNATIVE, _Y_FIRST = 4, 8


class ManyWalks:
    """The decisions of a :class:`DetourRelation` as array lookups. Supernodes must have at most 8 local ports."""

    def __init__(self, relation):
        network = relation.network
        self._classes = relation.classes["local"]
        self._sizes, self._m = network.sizes, network.m
        self._locals = len(network.supernode.port_names)
        self._address = np.array([network.switch(number) for number in range(network.nodes)])
        self.there, self.entry = neighbours(network)
        self._up = np.array(
            [
                [self.there[own, port.index] >= 0 and goes_up(network, own, port.index) for port in network.ports]
                for own in range(self._m)
            ]
        )
        self._options = self._option_arrays(network)
        self._local_port, self._local_alternative = self._local_arrays(network.supernode)

    def _option_arrays(self, network):
        """Options by ``[header, index of the distances, order]``. Port -1 means that there is no option."""
        port_of = {(port.kind, port.direction): port.index for port in network.ports}
        shape = (_HEADERS, int(np.prod(self._sizes)), 2 + len(Mode) - 1)
        leaves, port, bits = (np.full(shape, -1, np.int8) for _ in range(3))
        for header in range(_HEADERS):
            detour = unpack(header)
            for place, distances in enumerate(product(*map(range, self._sizes))):
                for order, option in enumerate(options(network, distances, detour.mode, detour.y_first)):
                    where = header, place, order
                    leaves[where] = option.leaves
                    port[where] = port_of[network.dimensions[option.axis], option.direction]
                    bits[where] = pack(detour._replace(mode=option.mode, y_first=option.y_first, alternative=False))
        return _Options(leaves, port, bits)

    def _local_arrays(self, supernode):
        """Local port and ``alternative`` by ``[own, target, alternative, back + 1, links that are up]``. Port -1: no port."""
        ids, count = range(self._m), self._locals
        shape = (self._m, self._m, 2, count + 1, 1 << count)
        port, alternative = np.full(shape, -1, np.int8), np.zeros(shape, np.int8)
        for own, target, before, back, up in product(ids, ids, (0, 1), range(count + 1), range(1 << count)):
            if own == target:
                continue
            came = back - 1 if back else None
            found = local_hop(supernode, own, target, bool(before), came, lambda q, up=up: bool(up >> q & 1))
            if found:
                where = own, target, before, back, up
                port[where], alternative[where] = found
        return port, alternative

    def run(self, source, target, up) -> Any:
        """Walk every packet until it is delivered or undeliverable: a :class:`Walked`.

        ``source`` and ``target`` are arrays of switch numbers. The array of bool ``up[switch, port]`` says which links are up;
        False where there is no link.
        """
        count = len(source)
        end, hops, most = source.copy(), np.zeros(count, np.int32), np.zeros(count, np.int32)
        none = np.full(count, -1)
        mask = (up[:, : self._locals] << np.arange(self._locals)).sum(axis=1)
        flight = _Flight(np.arange(count), source, target, none, none, np.zeros(count, int), np.zeros(count, int))
        flight = _keep(flight, source != target)
        while len(flight.walk):
            port, bits = self._decide(flight, up, mask)
            own = self._address[flight.switch, -1]
            # At its first hop, a packet has class 0 and has entered through no port (-1).
            came_down = (flight.entry >= 0) & self._up[own, flight.entry]
            virtual_class = flight.virtual_class + (came_down & self._up[own, port])
            goes_on = (port >= 0) & (virtual_class < self._classes)
            flight = flight._replace(bits=bits, virtual_class=virtual_class)
            flight, port = _keep(flight, goes_on), port[goes_on]
            entry, there = self.entry[flight.switch, port], self.there[flight.switch, port]
            end[flight.walk], most[flight.walk] = there, flight.virtual_class
            hops[flight.walk] += 1
            back = np.where(entry < self._locals, entry, -1)
            flight = _keep(flight._replace(switch=there, entry=entry, back=back), there != flight.target)
        return Walked(end, hops, most)

    def _decide(self, flight, up, mask):
        """Port and header bits of the next hop of every packet. Port -1 means that there is no hop."""
        at, there = self._address[flight.switch], self._address[flight.target]
        own = at[:, -1]
        place = np.zeros(len(own), int)
        for axis, n in enumerate(self._sizes):
            place = place * n + (there[:, axis] - at[:, axis]) % n
        alternative = flight.bits // _ALTERNATIVE % 2
        # Final phase: a local route to the destination's id.
        final = place == 0
        aim = np.where(final, there[:, -1], -1)
        bits = np.where(final, flight.bits & ~_ALTERNATIVE, 0)
        back, port = flight.back.copy(), np.full(len(own), -1)
        # Packets for which no option has been taken yet.
        left = np.flatnonzero(~final)
        for order in range(self._options.port.shape[2]):
            where = flight.bits[left], place[left], order
            leaves, shortcut, kept = (values[where].astype(int) for values in self._options)
            exists, here = shortcut >= 0, leaves == own[left]
            taken = exists & here & up[flight.switch[left], shortcut]
            port[left[taken]], bits[left[taken]] = shortcut[taken], kept[taken] & _Y_FIRST
            heads = exists & ~here
            aim[left[heads]], bits[left[heads]] = leaves[heads], kept[heads]
            if order:
                alternative[left[heads]], back[left[heads]] = 0, -1
            left = left[exists & here & ~taken]
        local = aim >= 0
        where = tuple(values[local] for values in (own, aim, alternative, back + 1, mask[flight.switch]))
        port[local] = self._local_port[where]
        bits[local] += self._local_alternative[where] * _ALTERNATIVE
        return port, bits


def _keep(flight, which):
    return _Flight(*(values[which] for values in flight))
