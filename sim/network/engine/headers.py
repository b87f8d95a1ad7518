"""Headers of packets as the XOR of words: the header's code is linear, so each field brings its own check bits."""

from typing import Any

import numpy as np

from dsnswitch.net.routing.registry import keeps_marked
from dsnswitch.net.topology.network import Network

__all__ = ["HeaderParts"]


class HeaderParts:
    """Words of which the headers of a core are made, by its manifest.

    A switch has ``hosts`` host ports, and there are words for ``hops`` hop counts from 0.

    Attributes
    ----------
    width : int
        Bits of a header.
    source, destination : array of int
        By number of the host.
    length : array of int
        By flits of the packet.
    hop : array of int
        By the number of switches passed, first without, then with the mark of packets that follow tables; all ones where the
        header cannot count as far.
    source_shift, destination_shift, source_bits : int
        Places of the two addresses, and their bits.
    layer : array of int
        By layer, or by the mark of ordered packets where others may overtake; of other cores, one word of zeros.
    undeliverable_bit : int
        Place of the mark of packets that detours cannot deliver; -1 in cores without detours.
    undeliverable : array of int
        The word of this mark.
    layer_shift, layer_bits, age_shift, age_bits : int
        Places of the layer and of the age, and their bits.
    age : array of int
        By age; of cores without ages, one word of zeros.
    virtual_network : array of int
        By virtual network; of cores with one, one word of zeros.
    host_of : array of int
        Number of the host by source address, -1 where there is none.
    """

    def __init__(self, manifest: dict[str, Any], network: Network, hosts: int, hops: int):
        self._fields = {field["name"]: field["bits"] for field in manifest["header"]}
        self._columns = manifest["code"]["columns"]
        low, high = self._fields["check"]
        self._check, self.width = low, high + 1
        if self.width > 64:
            raise ValueError(f"A simulation needs headers of at most 64 bits, not {self.width}")
        addresses = [
            [*zip((field.name for field in network.fields), network.switch(number // hosts)), ("host", number % hosts)]
            for number in range(network.nodes * hosts)
        ]
        self.source = np.array([self._word({f"source.{n}": v for n, v in one}) for one in addresses], np.uint64)
        self.destination = np.array([self._word({f"destination.{n}": v for n, v in one}) for one in addresses], np.uint64)
        self.length = np.array(
            [self._word({"length": flits}) for flits in range(manifest["parameters"]["packet"] + 1)], np.uint64
        )
        first, last = self._fields["hops"]
        known = range(min(hops, 1 << last - first + 1))
        self.hop = np.full(2 * hops, (1 << 64) - 1, np.uint64)
        for mark in (0, 1):
            for count in known:
                self.hop[mark * hops + count] = self._word({"hops": count, "flags.by_table": mark})
        bits = [place for name, (a, b) in self._fields.items() if name.startswith("source.") for place in range(a, b + 1)]
        self.source_shift, self.source_bits = (min(bits), max(bits) + 1 - min(bits)) if bits else (0, 0)
        self.destination_shift = min((a for name, (a, _) in self._fields.items() if name.startswith("destination.")), default=0)
        # The mark of packets that stay in order, if there is one, stands for the layer.
        name, count = "layer", manifest["parameters"].get("layers", 1)
        if keeps_marked(manifest["parameters"]):
            name, count = "flags.ordered", 2
        first, last = self._fields.get(name, (0, -1))
        self.layer_shift, self.layer_bits = first, last + 1 - first
        self.undeliverable_bit = self._fields.get("flags.undeliverable", (-1,))[0]
        self.undeliverable = np.array([self._word({"flags.undeliverable": 1})], np.uint64)
        first, last = self._fields.get("age", (0, -1))
        self.age_shift, self.age_bits = first, last + 1 - first
        self.age = np.array([self._word({"age": age}) for age in range(1 << self.age_bits)], np.uint64)
        networks = range(manifest["parameters"].get("virtual_networks", 1))
        self.virtual_network = np.array([self._word({"virtual_network": number}) for number in networks], np.uint64)
        # All ones for a layer that the core does not have: a packet with it is never right.
        layers = [self._word({name: layer}) for layer in range(count)]
        self.layer = np.array(layers + [(1 << 64) - 1] * ((1 << self.layer_bits) - len(layers)), np.uint64)
        if len(bits) != self.source_bits:
            raise ValueError("A simulation needs headers whose source address is one field")
        self.host_of = np.full(1 << self.source_bits, -1, np.int32)
        mask = (1 << self.source_bits) - 1
        for number, word in enumerate(self.source):
            self.host_of[int(word) >> self.source_shift & mask] = number

    def _word(self, values):
        """The header with these fields, and all others 0; fields without bits are left out."""
        word = sum(value << self._fields[name][0] for name, value in values.items() if name in self._fields)
        check = 0
        for place in range(self._check):
            if word >> place & 1:
                check ^= self._columns[place]
        return word | check << self._check
