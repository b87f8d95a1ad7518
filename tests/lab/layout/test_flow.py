"""A small block passes through the whole flow, and the flow's own checks notice faults."""

import dataclasses
import json
import shutil
import struct

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.layout import flow
from dsnswitch.lab.layout.drawing import drawing, gds, png
from dsnswitch.lab.layout.lef_def import Wire
from dsnswitch.lab.layout.measured import figures, report, table
from dsnswitch.lab.layout.parasitics import connections
from dsnswitch.lab.layout.timing import proved
from dsnswitch.lab.layout.tools import Unrouted
from dsnswitch.lab.synth.measure import design_of
from dsnswitch.lab.synth.recipe import KEPT, synthesize
from dsnswitch.net.messages import UsageError, unwatched

#: The programs are packages of Debian, which are fetched and unpacked first.
pytestmark = pytest.mark.regress

BLOCK = {"p": 2, "node": "1,2,3", "register": True}

EFFORT = 2


@pytest.fixture(scope="module")
def subject():
    return design_of(build(BLOCK))


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Folder with the files of the mapping."""
    return tmp_path_factory.mktemp("mapped")


@pytest.fixture(scope="module")
def layout(programs, subject, kept):
    """The layout. The files of its mapping are in ``kept``."""
    with pytest.MonkeyPatch.context() as patch:

        def keep(source, cells, prove, effort, folder, most):
            found = synthesize(source, cells, prove, effort, folder, most)
            for name in KEPT:
                shutil.copy(folder / name, kept / name)
            return found

        patch.setattr(flow, "synthesize", keep)
        return flow.lay_out(subject, unwatched, EFFORT)


@pytest.fixture
def mapped(layout, kept, monkeypatch):
    """Replaces the mapping by its earlier result."""

    def again(source, cells, prove, effort, folder, most):
        for name in KEPT:
            shutil.copy(kept / name, folder / name)
        return layout.mapped

    monkeypatch.setattr(flow, "synthesize", again)


def test_figures(layout, subject):
    found = figures(layout)
    assert found["name"] == subject.name == "dsn_route_grid_4x4_k4x2_at_1_2_3_registered"
    assert found["equivalent"] is True
    assert found["cells"] == len(layout.plan.cells) == sum(layout.mapped["cells"].values())
    assert found["flip_flops"] == layout.mapped["flip_flops"] > 0
    assert found["densities"][-1] == {"density": 0.85, "failed": None}
    assert found["area"]["cells"] < found["area"]["rows"] < found["die"][0] * found["die"][1]
    times = found["delays"]
    assert times["ideal"]["packet"] == pytest.approx(layout.mapped["delay_opensta"], rel=0.02)
    for name in ("packet", "registers", "period"):
        assert times["ideal"][name] < times["bare"][name] < times["wired"][name] < 2 * times["bare"][name]
    assert times["wired"]["straps"] is None
    assert found["ratio"]["delay"] == pytest.approx(times["wired"]["packet"] / times["bare"]["packet"], rel=1e-3)
    assert f"{found['cells']} of" not in table(found)
    assert "ratio" in table(found)
    assert json.loads(report([found]))["blocks"] == [found]


def test_the_same_input_gives_the_same_layout(layout, subject):
    again = flow.lay_out(subject, unwatched, EFFORT)
    assert again.files == layout.files
    assert gds(again) == gds(layout)


def test_picture_shows_every_cell(layout):
    one = drawing(layout, "one")
    assert len(one.shapes["logic"]) + len(one.shapes["register"]) == len(layout.netlist.cells)
    assert len(one.shapes["register"]) == layout.mapped["flip_flops"]
    assert len(one.shapes["pin"]) == len(layout.plan.pins)
    metal = [shape for pieces in layout.wires.values() for piece in pieces for shape in piece.shapes(layout.technology)]
    assert sum(len(shapes) for name, shapes in one.shapes.items() if name.startswith("metal")) == len(metal) > 0


def test_picture_side_by_side_has_one_scale(layout):
    one = drawing(layout, "one")
    wide = dataclasses.replace(one, width=2 * one.width)
    found = png([one, wide], 600)
    assert found[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", found[16:20]) == (600,)
    height = struct.unpack(">I", found[20:24])[0]
    assert height < struct.unpack(">I", png([one], 600)[20:24])[0]


def test_gds_has_every_cell_and_wire(layout, tmp_path):
    gdstk = pytest.importorskip("gdstk")
    path = tmp_path / "layout.gds"
    path.write_bytes(gds(layout))
    (top,) = gdstk.read_gds(path).top_level()
    placed = {}
    for reference in top.references:
        (x, y), _ = reference.bounding_box()
        placed.setdefault(reference.cell.name, []).append((round(x * 1000), round(y * 1000)))
    assert sum(map(len, placed.values())) == len(layout.plan.cells) + len(layout.plan.fillers)
    for name, place in layout.plan.cells.items():
        # Rails extend 0.2 um beyond a cell on the left and right, and 0.3 um above and below.
        assert (place.x - 200, place.y - 300) in placed[layout.netlist.cells[name].kind]
    vias = sum(bool(piece.via) for pieces in layout.wires.values() for piece in pieces)
    assert sum(polygon.layer in (50, 61, 30, 32, 36) for polygon in top.polygons) == vias


def test_a_changed_connection_fails_the_proof(layout, kept):
    """Two inputs of different cells are exchanged, so the metal connects other pins."""
    groups = connections(layout.netlist, layout.technology, layout.plan, layout.wires)
    flip_flops = ["DFFPOSX1"]
    assert proved(layout.netlist, groups, flip_flops, kept)
    one, two = sorted(end for end in groups if end[1] == "D")[:2]
    assert groups[one] != groups[two]
    assert not proved(layout.netlist, groups | {one: groups[two], two: groups[one]}, flip_flops, kept)


def failing(count):
    """A router that fails the first ``count`` times."""
    calls = []

    def route(text, tools, folder):
        calls.append(text)
        if len(calls) <= count:
            raise Unrouted(3)
        return flow_route(text, tools, folder)

    return route


flow_route = flow.programs.route


def test_lower_density_after_a_failure(mapped, subject, monkeypatch):
    monkeypatch.setattr(flow.programs, "route", failing(2))
    found = flow.lay_out(subject, unwatched, EFFORT)
    assert found.densities == [(0.85, "3 nets could not be routed"), (0.75, "3 nets could not be routed"), (0.65, None)]
    assert found.plan.utilisation == pytest.approx(0.65, rel=0.05)
    assert "failed: 0.85 (3 nets could not be routed), 0.75" in table(figures(found))


def test_a_net_that_cannot_be_routed_is_an_error(mapped, subject, monkeypatch):
    monkeypatch.setattr(flow.programs, "route", failing(9))
    with pytest.raises(UsageError, match=r"cannot be routed at any density \(0.85: 3 nets could not be routed, 0.75: "):
        flow.lay_out(subject, unwatched, EFFORT)


def broken(monkeypatch, change):
    """Replaces the reader of routed DEF: ``change`` alters the wires first."""
    read = flow.read_wires

    def wires(text):
        found = read(text)
        change(found)
        return found

    monkeypatch.setattr(flow, "read_wires", wires)


def test_a_wire_that_is_missing(mapped, subject, monkeypatch):
    broken(monkeypatch, lambda wires: max(wires.values(), key=len).pop(0))
    with pytest.raises(UsageError, match=r"cannot be routed at any density .* has a gap between its"):
        flow.lay_out(subject, unwatched, EFFORT, (0.85,))


def test_a_short_between_nets(mapped, subject, monkeypatch):
    def short(wires):
        # From a via of one net to a via of another, around the corner.
        one, two = (next(piece for piece in wires[net] if piece.via == "M3_M2") for net in nets_with_vias(wires)[:2])
        corner = (two.x1, one.y1)
        wires[next(iter(wires))] += [Wire("metal3", one.x1, one.y1, *corner), Wire("metal3", *corner, two.x1, two.y1)]

    broken(monkeypatch, short)
    with pytest.raises(UsageError, match=r"The layout has a short|has a short between nets"):
        flow.lay_out(subject, unwatched, EFFORT, (0.85,))


def nets_with_vias(wires):
    return [net for net, pieces in wires.items() if any(piece.via == "M3_M2" for piece in pieces)]


def test_a_delay_that_is_not_the_mapped_netlists(mapped, subject, monkeypatch):
    slow = flow.delays

    def slower(*arguments):
        found = slow(*arguments)
        found["ideal"]["packet"] *= 1.03
        return found

    monkeypatch.setattr(flow, "delays", slower)
    with pytest.raises(UsageError, match=r"The delay of .* without wires must be .* ns as mapped, not"):
        flow.lay_out(subject, unwatched, EFFORT)


def test_too_many_cells(mapped, subject, monkeypatch):
    monkeypatch.setattr(flow.limits, "MOST_PLACED", 10)
    with pytest.raises(UsageError, match=r"Cells of dsn_route_.* must be at most 10, not \d+"):
        flow.lay_out(subject, unwatched, EFFORT)


def test_too_many_gates(programs, subject, monkeypatch):
    """The flow refuses the block before the mapping, which would take long."""
    monkeypatch.setattr(flow.limits, "MOST_GATES_PLACED", 10)
    with pytest.raises(UsageError, match=r"must have at most 10 gates before mapping, not \d+"):
        flow.lay_out(subject, unwatched, EFFORT)
