"""Changes of a netlist that the mapper does not make: buffers after registers, and balanced XOR networks.

A netlist is the JSON of ``write_json``.

abc adds no buffers after flip-flops: it treats their outputs as inputs of the design, which it does not buffer. If a register
drives too much capacitance, the sinks with the longest remaining path stay connected to the register, and a tree of buffers
drives the others.

Mappers keep the shape of a chain of XORs, such as a CRC that is computed bit by bit. A network consists of XOR gates that are
connected to each other; an inverter, and a multiplexer of a net and its inverse, are part of it. Each output of a network is a
sum modulo 2 of *terms*: nets that other logic drives. A balanced network adds the terms of each sum in pairs, the earliest first.
A pair that several sums have is added once.
"""

import heapq
from graphlib import TopologicalSorter
from itertools import combinations

from dsnswitch.lab.synth.library import BY_NAME, FLIP_FLOP, RAM, input_loads

_BUFFER = BY_NAME["BUFX4"]

#: Capacitance above which a register gets buffers, and capacitance that stays connected to the register.
LIMIT, KEPT = 8, 3

#: Capacitance that a buffer drives.
GROUP = 14


def buffered(netlist, top) -> int:
    """Add buffers to module ``top`` of ``netlist`` in place; returns their number."""
    module = netlist["modules"][top]
    cells = module["cells"]
    sinks = _sinks(cells)
    ahead, free, added = _ahead(cells, sinks), _free(cells), {}
    for bit in _registers(cells):
        waiting = sorted(sinks.get(bit, ()), key=lambda sink: -ahead.get(sink[0], 0.0))
        if sum(sink[2] for sink in waiting) <= LIMIT:
            continue
        kept = 0.0
        while waiting and kept + waiting[0][2] <= KEPT:
            kept += waiting.pop(0)[2]
        # Each group of sinks gets a buffer, and the buffers are grouped again until at most two are connected to the register.
        while True:
            groups = _groups(waiting)
            waiting = []
            for group in groups:
                name = f"register_buffer_{len(added)}"
                for cell, pin, _ in group:
                    (added.get(cell) or cells[cell])["connections"][pin] = [free]
                added[name] = _gate(_BUFFER.name, free, A=bit)
                waiting.append((name, "A", _BUFFER.inputs["A"]))
                free += 1
            if len(waiting) <= 2:
                break
    cells |= added
    return len(added)


def _registers(cells):
    """Output bits of flip-flops and RAM."""
    for cell in cells.values():
        if cell["type"] == FLIP_FLOP["name"]:
            yield cell["connections"]["Q"][0]
        elif cell["type"].startswith(RAM):
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    yield from bits


def _sinks(cells):
    """``(cell, pin, capacitance)`` of all inputs that each bit drives."""
    sinks = {}
    for name, cell in cells.items():
        for pin, load in input_loads(cell).items():
            sinks.setdefault(cell["connections"][pin][0], []).append((name, pin, load))
    return sinks


def _groups(sinks):
    """Consecutive sinks in groups of at most the capacitance that a buffer drives."""
    groups, load = [[]], 0.0
    for sink in sinks:
        if groups[-1] and load + sink[2] > GROUP:
            groups.append([])
            load = 0.0
        groups[-1].append(sink)
        load += sink[2]
    return groups


def _ahead(cells, sinks):
    """Delay from the inputs of each combinational cell to the end of its longest path, at a register or an output."""
    driven = {name: sinks.get(cell["connections"]["Y"][0], ()) for name, cell in cells.items() if cell["type"] in BY_NAME}
    nexts = {name: [cell for cell, *_ in found if cell in driven] for name, found in driven.items()}
    delays = {}
    for name in TopologicalSorter(nexts).static_order():
        kind, load = BY_NAME[cells[name]["type"]], sum(sink[2] for sink in driven[name])
        delays[name] = kind.parasitic + load / kind.drive + max((delays[cell] for cell in nexts[name]), default=0.0)
    return delays


#: Most terms of all sums of a network, and most different ones. A larger network stays as it is.
MOST_TERMS, MOST_DIFFERENT = 200_000, 2_000

#: Most nets of a network whose pairs are counted. Among more, each sum adds neighbours.
MOST_COUNTED = 1_500

#: Least ratio of the depth of a network to that of its balanced form, for which it is balanced.
GAIN = 1.5


def balance(netlist, top):
    """Balance the networks of module ``top`` in place.

    ``netlist`` is the JSON of ``write_json``, with gates of Yosys. The result has ``balanced``: for each balanced network, its
    depth in gates before and after, counted from inputs and registers; and ``large``: number of networks above the limits.
    """
    module = netlist["modules"][top]
    cells = module["cells"]
    sums = _Sums(module)
    free = _free(cells)
    found, kept = {"balanced": [], "large": 0}, {}
    for roots in sums.networks():
        before = max(map(sums.depth, roots))
        forms = sums.forms(roots)
        if forms is None:
            found["large"] += 1
            continue
        pairs, last, after = _trees({root: terms for root, (terms, _) in forms.items()}, sums.depth, free)
        if before < GAIN * after:
            continue
        found["balanced"].append([before, after])
        free += len(pairs)
        kept |= forms
        for (left, right), net in pairs.items():
            cells[f"balanced_{net}"] = _gate("$_XOR_", net, A=left, B=right)
        for root, (_, inverted) in forms.items():
            cells[sums.drivers[root]] = _gate("$_NOT_" if inverted else "$_BUF_", root, A=last[root])
    # Equal sums are equal functions, so this is a proof.
    assert _Sums(module).forms(kept) == kept
    return found


def _free(cells):
    """The first number that no net has. Bits that are constant are strings."""
    bits = (bit for cell in cells.values() for net in cell["connections"].values() for bit in net)
    return 1 + max((bit for bit in bits if isinstance(bit, int)), default=0)


def _gate(kind, output, **inputs):
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": {},
        "attributes": {},
        "port_directions": dict.fromkeys(inputs, "input") | {"Y": "output"},
        "connections": {pin: [net] for pin, net in inputs.items()} | {"Y": [output]},
    }


class _Sums:
    """Sums of the nets of a module. ``drivers`` has the name of the gate that drives each net."""

    def __init__(self, module):
        self._module, self._cells = module, module["cells"]
        gates = ((name, cell) for name, cell in self._cells.items() if cell["type"].startswith("$_"))
        self.drivers = {cell["connections"]["Y"][0]: name for name, cell in gates if "Y" in cell["connections"]}
        self._depths = {}
        #: Both addends of each sum, and whether it is inverted.
        self._addends = {net: found for net in self.drivers if (found := self._addition(net))}

    def _input(self, net, pin):
        return self._cells[self.drivers[net]]["connections"][pin][0]

    def _kind(self, net):
        return self._cells[self.drivers[net]]["type"] if net in self.drivers else None

    def _literal(self, net):
        """The net before all inverters, and whether their number is odd."""
        inverted = False
        while (kind := self._kind(net)) in ("$_NOT_", "$_BUF_"):
            net, inverted = self._input(net, "A"), inverted ^ (kind == "$_NOT_")
        return (net, inverted) if net != "1" else ("0", not inverted)

    def _addition(self, net):
        kind = self._kind(net)
        if kind in ("$_XOR_", "$_XNOR_"):
            inputs = [self._literal(self._input(net, pin)) for pin in "AB"]
            inverted = kind == "$_XNOR_"
        elif kind == "$_MUX_":
            inputs = [self._literal(self._input(net, pin)) for pin in "AS"]
            other, inverse = self._literal(self._input(net, "B"))
            if (other, not inverse) != inputs[0]:
                return None
            inverted = False
        else:
            return None
        return [term for term, _ in inputs], inverted ^ inputs[0][1] ^ inputs[1][1]

    def networks(self):
        """Lists of the outputs of each network: nets that other logic, or an output of the module, reads."""
        if not self._addends:
            return []
        used = {bit for port in self._module["ports"].values() if port["direction"] == "output" for bit in port["bits"]}
        for cell in self._cells.values():
            if cell["type"] in ("$_NOT_", "$_BUF_") or cell["connections"].get("Y", [None])[0] in self._addends:
                continue
            ways = cell["port_directions"]
            used |= {bit for pin, bits in cell["connections"].items() if ways[pin] == "input" for bit in bits}
        # networkx takes longer to load than most designs take to synthesize, and few have XOR networks to balance.
        from networkx.utils import UnionFind

        groups, found = UnionFind(self._addends), {}
        for net, (terms, _) in self._addends.items():
            groups.union(net, *(term for term in terms if term in self._addends))
        for root in dict.fromkeys(self._literal(bit)[0] for bit in sorted(b for b in used if isinstance(b, int))):
            if root in self._addends:
                found.setdefault(groups[root], []).append(root)
        return list(found.values())

    def forms(self, roots):
        """``{root: (its terms, whether it is inverted)}``; None if there are more terms than the limits allow."""
        known, total = {}, 0
        literals = {root: self._literal(root) for root in roots}
        for net in self._order(
            [net for net, _ in literals.values()], lambda net: self._addends[net][0] if net in self._addends else ()
        ):
            if net not in self._addends:
                known[net] = (frozenset() if net == "0" else frozenset((net,))), False
                continue
            (left, right), inverted = self._addends[net]
            terms = known[left][0] ^ known[right][0]
            total += len(terms)
            if len(terms) > MOST_DIFFERENT or total > 10 * MOST_TERMS:
                return None
            known[net] = terms, inverted ^ known[left][1] ^ known[right][1]
        found = {root: (known[net][0], known[net][1] ^ odd) for root, (net, odd) in literals.items()}
        terms = [terms for terms, _ in found.values()]
        if sum(map(len, terms)) > MOST_TERMS or len(frozenset().union(*terms)) > MOST_DIFFERENT:
            return None
        return found

    def depth(self, net):
        """Gates on the longest path to ``net`` from an input, register or RAM. Inverters do not count."""
        for one in self._order([net], lambda one: () if one in self._depths else self._gate_inputs(one)):
            if one not in self._depths:
                inputs = self._gate_inputs(one)
                more = bool(inputs) and self._kind(one) not in ("$_NOT_", "$_BUF_")
                self._depths[one] = max((self._depths[bit] for bit in inputs), default=0) + more
        return self._depths[net]

    def _gate_inputs(self, net):
        if net not in self.drivers:
            return ()
        return [bits[0] for pin, bits in self._cells[self.drivers[net]]["connections"].items() if pin != "Y"]

    @staticmethod
    def _order(nets, inputs):
        """``nets`` and all nets before them, each after its ``inputs``."""
        seen, order, stack = set(), [], [(net, False) for net in nets]
        while stack:
            net, ready = stack.pop()
            if ready:
                order.append(net)
            elif net not in seen:
                seen.add(net)
                stack.append((net, True))
                stack += ((bit, False) for bit in inputs(net))
        return order


def _trees(sums, depth, free):
    """Balanced trees of ``sums``, ``{root: terms}``, as ``(pairs, last, after)``.

    ``pairs`` is ``{(net, net): sum}``; sums are numbered from ``free``, each after its addends. ``last`` has the net of each
    root, and ``after`` is the largest depth.
    """
    # For each net, the set of the sums that it is still to be added to, as bits of a number.
    waiting, pairs = {}, {}
    for index, terms in enumerate(sums.values()):
        for term in terms:
            waiting[term] = waiting.get(term, 0) | 1 << index
    late = [(depth(term), term) for term in waiting]
    heapq.heapify(late)
    ready, level = {}, 0
    while late:
        level = max(level, late[0][0])
        while late and late[0][0] <= level:
            net = heapq.heappop(late)[1]
            ready[net] = waiting[net]
        for pair, both in _paired(ready):
            pairs[pair] = net = free + len(pairs)
            waiting[net] = both
            heapq.heappush(late, (level + 1, net))
            for one in pair:
                ready[one] &= ~both
        ready = {net: roots for net, roots in ready.items() if roots}
    last = dict.fromkeys(sums, "0")
    roots = list(sums)
    for net, mask in ready.items():
        for index, root in enumerate(roots):
            if mask >> index & 1:
                last[root] = net
    return pairs, last, level


def _paired(ready):
    """Yield ``((net, net), sums that have both)``, those with the most sums first, until a sum has at most one net left."""
    nets = sorted(ready)
    if len(nets) > MOST_COUNTED:
        yield from _neighbours(ready, nets)
        return
    left = dict(ready)
    queue = [(-both.bit_count(), pair) for pair in combinations(nets, 2) if (both := ready[pair[0]] & ready[pair[1]])]
    heapq.heapify(queue)
    while queue:
        count, pair = heapq.heappop(queue)
        both = left[pair[0]] & left[pair[1]]
        if both.bit_count() < -count:
            if both:
                heapq.heappush(queue, (-both.bit_count(), pair))
            continue
        yield pair, both
        for one in pair:
            left[one] &= ~both


def _neighbours(ready, nets):
    found, single = {}, {}
    for net in nets:
        mask = ready[net]
        while mask:
            root = mask & -mask
            mask ^= root
            other = single.pop(root, None)
            if other is None:
                single[root] = net
            else:
                found[other, net] = found.get((other, net), 0) | root
    yield from found.items()
