"""Adds buffers after flip-flops. abc does not: it treats their outputs as inputs of the design, which it does not buffer.

The input is the netlist that ``write_json`` wrote. If a register drives too much capacitance, the sinks with the longest
remaining path stay connected to the register, and a tree of buffers drives the others.
"""

from dsnswitch.lab.synth.library import CELLS, FLIP_FLOP, RAM

_CELLS = {cell.name: cell for cell in CELLS}
_BUFFER = _CELLS["BUFX4"]

#: Capacitance above which a register gets buffers, and capacitance that stays connected to the register.
LIMIT, KEPT = 8, 3

#: Capacitance that a buffer drives.
GROUP = 14


def buffered(netlist, top):
    """Add buffers to module ``top`` of ``netlist`` in place; returns their number."""
    module = netlist["modules"][top]
    cells = module["cells"]
    sinks = _sinks(cells)
    paths = _Paths(cells, sinks)
    bits = (bit for cell in cells.values() for net in cell["connections"].values() for bit in net)
    # Bits that are constant are strings in the netlist.
    free = 1 + max((bit for bit in bits if isinstance(bit, int)), default=0)
    added = {}
    for bit in _registers(cells):
        waiting = sorted(sinks.get(bit, ()), key=lambda sink: -paths.ahead(sink))
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
                    _connect(added.get(cell) or cells[cell], pin, bit, free)
                added[name] = _buffer(bit, free)
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
        pins = _CELLS[cell["type"]].inputs if cell["type"] in _CELLS else {}
        if cell["type"] == FLIP_FLOP["name"]:
            pins = {"D": FLIP_FLOP["d"]}
        for pin, load in pins.items():
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


def _buffer(source, target):
    return {
        "hide_name": 0,
        "type": _BUFFER.name,
        "parameters": {},
        "attributes": {},
        "port_directions": {"A": "input", "Y": "output"},
        "connections": {"A": [source], "Y": [target]},
    }


def _connect(cell, pin, old, new):
    assert cell["connections"][pin] == [old]
    cell["connections"][pin] = [new]


class _Paths:
    """Delays from a sink to the end of its longest path."""

    def __init__(self, cells, sinks):
        self._cells, self._sinks, self._known = cells, sinks, {}

    def ahead(self, sink):
        """Delay of the longest path from the sink to a register or an output."""
        kind = _CELLS.get(self._cells[sink[0]]["type"])
        if kind is None:
            return 0.0
        stack = [sink[0]]
        while stack:
            name = stack[-1]
            if name in self._known:
                stack.pop()
                continue
            cell = self._cells[name]
            after = self._sinks.get(cell["connections"]["Y"][0], ())
            nexts = [s[0] for s in after if self._cells[s[0]]["type"] in _CELLS]
            missing = [n for n in nexts if n not in self._known]
            if missing:
                stack += missing
                continue
            stack.pop()
            here = _CELLS[cell["type"]]
            load = sum(s[2] for s in after)
            self._known[name] = here.parasitic + load / here.drive + max((self._known[n] for n in nexts), default=0.0)
        return self._known[sink[0]]
