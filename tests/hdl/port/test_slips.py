"""Fabric ports find the boundary from every offset: of each kind of line, under bit errors, in both directions of slipping."""

import itertools
import subprocess
from pathlib import Path

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.hdl.line.search import searches
from dsnswitch.hdl.port.port import FabricPort
from dsnswitch.sim.run import model

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4}
#: Bits after which all boundaries are alike.
GROUPS = {"light": 270, "strict": 33 * 160, "selected": 9 * 33 * 160}
ERRORS = (0, 1e-4, 1e-3)
#: Cycles until both ends are up. At 1e-3, a wrong bit can hide the boundary, and the search goes round once more.
LIMIT = 100_000


def joined(lab, link, settle):
    """Path of the program that joins two ports."""
    block = build(VALUES | {"link": link})
    port = FabricPort(block.shape, settle=settle)
    folder = lab.folder / f"slips-{link}-{settle}{lab.worker}"
    folder.mkdir(parents=True, exist_ok=True)
    verilog = folder / "port.v"
    verilog.write_text(convert(port, block.name, [f"{block.name}: end of a fabric link."]))
    defines = {"WORD": len(port.i.payload), "GROUP": GROUPS[link], "SELECTED": int(link == "selected")}
    program = '#include "Vtop.h"\n' + "".join(f"#define {name} {value}\n" for name, value in defines.items())
    program += Path(__file__).with_name("slipping.cpp").read_text()
    return model(verilog, block.name, lab.folder / "tools", optimise="-O1", program=program)


@pytest.fixture
def search(lab):
    """A function that joins two ports at each of some offsets, and returns ``(cycles, bits off, bits off)`` of each search."""

    def run(offsets, link="light", ber=0, step=1, settle=0, gaps=0, strict=0, live=0, limit=LIMIT):
        key = "slips", link, settle
        if key not in lab.kept:
            lab.kept[key] = joined(lab, link, settle)
        # The directions have different offsets.
        jobs = [f"{offset} {3 * offset} {ber} {step} {settle} {gaps} {strict} {live} {limit} {offset}\n" for offset in offsets]
        done = subprocess.run([lab.kept[key]], input="".join(jobs), capture_output=True, text=True, check=True)
        found = [tuple(map(int, row.split())) for row in done.stdout.splitlines()]
        assert len(found) == len(jobs)
        wrong = {offset: answer for offset, answer in zip(offsets, found) if answer[0] < 0}
        assert not wrong, f"not up from {len(wrong)} of {len(found)} offsets: {wrong}"
        return found

    return run


def combinations(**more):
    """Parameters of a search, over both directions of slipping, all rates of errors, from reset and on a link that was up."""
    return [dict(ber=ber, step=step, live=live, **more) for ber, step, live in itertools.product(ERRORS, (1, -1), (0, 1))]


@pytest.mark.regress
@pytest.mark.parametrize(("settle", "gaps", "apart"), [(0, 0, 1), (2, 0.4, 12)])
def test_light_line_comes_up_from_every_offset(search, settle, gaps, apart):
    """``gaps``: the part of the cycles without a word. ``apart``: each of as many combinations has other offsets."""
    for place, parameters in enumerate(combinations(settle=settle, gaps=gaps)):
        search(range(place % apart, GROUPS["light"], apart), **parameters)


#: Lines in words of 160 bits: the link and the requested format.
LONG = [("strict", 1), ("selected", 1), ("selected", 0)]
#: Offsets from which a search with slips to later bits is short.
LAST = (0, -1, -2, -3, -4, -9)


@pytest.mark.regress
@pytest.mark.parametrize("ber", [0, 1e-3])
@pytest.mark.parametrize(("link", "strict"), LONG)
def test_long_codewords_are_found(search, link, strict, ber):
    """From the boundary and bits just before it. At 1e-3, a third of the searches on a strict line miss a boundary."""
    offsets = LAST[:: 3 if strict and ber == 1e-3 else 1]
    for step, live in itertools.product((1, -1), (0, 1)):
        search([step * off for off in offsets], link, ber=ber, step=step, live=live, settle=2, strict=strict, limit=4_000_000)


@pytest.mark.regress
@pytest.mark.parametrize("step", [1, -1])
def test_selected_line_comes_up_from_its_boundary(search, step):
    """At 1e-3, the light format is not missed where the search begins."""
    for live in (0, 1):
        search(range(-16 * step, step, step), "selected", ber=1e-3, step=step, live=live, settle=2, limit=10_000)


@pytest.mark.regress
@pytest.mark.parametrize("ber", [0, 1e-3])
@pytest.mark.parametrize(("link", "strict", "step"), [("strict", 1, 1), ("selected", 1, -1), ("selected", 0, 1)])
def test_search_goes_through_all_positions(search, link, strict, step, ber):
    """From the first bit after the boundary, a search visits every other position before it ends. A search that starts at any
    other position is the rest of this one, because each slip resets the score."""
    expected = searches(ber)["strict" if strict else "light"]
    for live in (0, 1):
        # The directions have different offsets; the longer search is that of ``b``.
        parameters = {"ber": ber, "step": step, "live": live, "settle": 2, "strict": strict, "limit": 4_000_000}
        ((cycles, *_),) = search([step], link, **parameters)
        assert cycles > 0.99 * expected.round, parameters
        assert ber == 1e-3 or cycles < 1.05 * expected.longest, parameters


@pytest.mark.regress
@pytest.mark.parametrize("step", [1, -1])
def test_another_codeword_is_not_the_first_of_its_group(search, step):
    """A boundary that moves by codewords of the light format is lost and found again, although most codewords are good."""
    for ber in ERRORS:
        for cycles, *_ in search([-270 * step], "selected", ber=ber, step=step, live=1, settle=2, limit=400_000):
            assert cycles > 270 * 27
