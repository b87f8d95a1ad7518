"""The flow from a design to its layout: mapping, placement, routing, extraction, timing, and the checks of each step."""

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from dsnswitch.lab.layout import tools as programs
from dsnswitch.lab.layout.floorplan import Floorplan, floorplan
from dsnswitch.lab.layout.lef_def import Technology, read_lef, read_wires, write_def
from dsnswitch.lab.layout.netlist import Netlist, netlist_of
from dsnswitch.lab.layout.parasitics import OpenNet, connections, parasitics, spef
from dsnswitch.lab.layout.timing import delays, proved, verilog
from dsnswitch.lab.synth import timing as opensta
from dsnswitch.lab.synth.elaborate import ELABORATED
from dsnswitch.lab.synth.library import library
from dsnswitch.lab.synth.measure import Design
from dsnswitch.lab.synth.passes import FULL
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.net import limits
from dsnswitch.net.messages import UsageError

#: Densities (shares of the rows that cells take), tried in this order until every net is routed.
DENSITIES = (0.85, 0.75, 0.65, 0.55, 0.45)

#: Largest relative difference between the delay without wires and that of the mapped netlist.
TOLERANCE = 0.02


@dataclass
class Layout:
    """A placed and routed design."""

    subject: Design
    netlist: Netlist | None = None
    technology: Technology | None = None
    plan: Floorplan | None = None
    #: ``{net: [Wire, ..]}``, and ``{net: NetParasitics}``.
    wires: dict | None = None
    parasitics: dict | None = None
    #: DEF, SPEF and Verilog by suffix.
    files: dict = field(default_factory=dict)
    #: Figures of the mapped netlist (:func:`synthesize`).
    mapped: dict | None = None
    #: ``{condition: {class of paths: ns}}``.
    delays: dict | None = None
    #: ``(density, reason)`` of each attempt, with the reason of its failure. The reason is None for the last attempt.
    densities: list = field(default_factory=list)
    #: The layout is proved equal to the RTL.
    equivalent: bool | None = None


def lay_out(subject, bar, effort=FULL, densities=DENSITIES):
    """The :class:`Layout` of a :class:`Design`."""
    with tempfile.TemporaryDirectory() as folder:
        flow = _Flow(Layout(subject), programs.tools(), Path(folder), effort, densities)
        steps = (flow.map, flow.place, flow.route, flow.check, flow.extract, flow.time, flow.prove)
        for step in bar(steps, f"layout of {subject.name}"):
            step()
    return flow.layout


class _Flow:
    """The steps of the flow. Each step adds to the layout; ``folder`` contains the files that steps pass on."""

    def __init__(self, layout, tools, folder, effort, densities):
        self.layout, self._tools, self._folder, self._effort = layout, tools, folder, effort
        self._densities = densities

    def map(self):
        """Map the design and give the netlist plain names."""
        layout = self.layout
        with layout.subject.source() as source:
            layout.mapped = synthesize(source, library("osu018"), True, self._effort, self._folder, limits.MOST_GATES_PLACED)
        if not layout.mapped["equivalent"]:
            raise UsageError(f"The mapped netlist of {layout.subject.name} is not equal to its RTL")
        self._names = json.loads((self._folder / ELABORATED).read_text())
        flat = json.loads((self._folder / "flat.json").read_text())
        layout.netlist = netlist_of(flat, self._names["top"])
        limits.at_most(limits.MOST_PLACED, len(layout.netlist.cells), f"Cells of {layout.subject.name}")

    def place(self):
        """Place the cells in rows."""
        self.layout.technology = read_lef(self._tools.lef.read_text())
        self._rows = programs.rows(self.layout.netlist, self.layout.technology, self._tools, self._folder)

    def route(self):
        """Route the nets, at the first density at which every net can be routed."""
        layout = self.layout
        for density in self._densities:
            layout.plan = floorplan(self._rows, layout.netlist, layout.technology, density)
            placed = write_def(layout.netlist, layout.technology, layout.plan)
            try:
                text = programs.route(placed, self._tools, self._folder)
                layout.wires = read_wires(text)
                layout.parasitics = parasitics(layout.netlist, layout.technology, layout.plan, layout.wires)
            except (programs.Unrouted, OpenNet) as error:
                layout.densities.append((density, str(error)))
            else:
                layout.densities.append((density, None))
                layout.files["def"] = text
                return
        tried = ", ".join(f"{density:.2f}: {reason}" for density, reason in layout.densities)
        raise UsageError(f"{layout.subject.name} cannot be routed at any density ({tried})")

    def check(self):
        """Check that the metal connects the pins that the netlist connects, and no others."""
        layout = self.layout
        self._groups = connections(layout.netlist, layout.technology, layout.plan, layout.wires)
        owners = {}
        for net, ends in layout.netlist.nets().items():
            for end in ends:
                other = owners.setdefault(self._groups[end], net)
                if other != net:
                    raise UsageError(f"The layout of {layout.subject.name} has a short between nets {other} and {net}")

    def extract(self):
        """Write SPEF and Verilog."""
        layout = self.layout
        layout.files["spef"] = spef(layout.netlist, layout.technology, layout.parasitics)
        layout.files["v"] = verilog(layout.netlist)
        (self._folder / "wires.spef").write_text(layout.files["spef"])
        (self._folder / "layout.v").write_text(layout.files["v"])

    def time(self):
        """Time the layout, and compare the delay without wires with that of the mapped netlist."""
        layout = self.layout
        clock = layout.netlist.clock()
        ports = layout.netlist.ports.values()
        straps = self._names["straps"]
        quiet = {*straps, clock, "clk", "rst"}
        packet = {port.vector for port in ports if port.direction == "input" and port.vector not in quiet}
        memories = {vector for vector in packet if isinstance(vector, tuple)}
        starts = {"packet": packet - memories, "straps": straps, "registers": memories}
        groups = {name: layout.netlist.bits(vectors) for name, vectors in starts.items()}
        layout.delays = delays(layout.netlist, groups, clock, opensta.binary(), self._folder)
        ours, theirs = layout.delays["ideal"]["packet"], layout.mapped["delay_opensta"]
        # The delay of the mapped netlist does not include paths to a RAM, so it is not comparable.
        if ours and theirs and not layout.netlist.rams and abs(ours / theirs - 1) > TOLERANCE:
            raise UsageError(f"The delay of {layout.subject.name} without wires must be {theirs:g} ns as mapped, not {ours:g} ns")

    def prove(self):
        """Prove that the routed netlist is equal to the RTL."""
        layout = self.layout
        flip_flops = sorted({cell.kind for cell in layout.netlist.cells.values() if "DFF" in cell.kind})
        layout.equivalent = proved(layout.netlist, self._groups, flip_flops, self._folder)
        if not layout.equivalent:
            raise UsageError(f"The layout of {layout.subject.name} is not equal to its RTL")
