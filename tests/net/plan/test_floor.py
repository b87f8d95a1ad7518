"""Floor plans: formulas of the papers, cables against the golden model, mappings, cost models."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.cabling import bill_list, cable_list, figures, plan
from dsnswitch.net.plan.cost import MODELS, model
from dsnswitch.net.plan.drawing import bundles, floor_picture
from dsnswitch.net.plan.floor import MAPPINGS, Room, folded, grid_of, in_rows
from dsnswitch.net.plan.placement import arrange
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.topology import dsn as golden_dsn


def floor_of(text, name="supernode", capacity=None, **room):
    return plan(parse_network(text), name, capacity, Room(**room))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 12, 16, 17, 128, 1000])
def test_rows_of_cabinets(count):
    """ceil(sqrt(c)) rows, ceil(c / rows) cabinets per row (D 3.4.2, F IV-C, R III-D)."""
    rows = math.ceil(math.sqrt(count))
    assert grid_of(count) == (math.ceil(count / rows), rows)
    for turning in (False, True):
        spots = in_rows(count, turning).tolist()
        assert len({*map(tuple, spots)}) == count
        assert all(0 <= column < grid_of(count)[0] and 0 <= row < rows for column, row in spots)
    steps = np.abs(np.diff(in_rows(count, True), axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_length_of_a_cable():
    """2 m inside a cabinet; Manhattan distance of cabinets of 0.6 m x 2.1 m, and 2 m at each end."""
    a, b = np.array([[0, 0], [0, 0], [3, 2]]), np.array([[0, 0], [3, 2], [2, 2]])
    assert Room().lengths(a, b) == pytest.approx([2, 3 * 0.6 + 2 * 2.1 + 4, 0.6 + 4])
    assert Room(cabling="diagonal").lengths(a, b) == pytest.approx([2, math.hypot(1.8, 4.2) + 4, 4.6])
    room = Room(width=1, depth=3, inside=0.5, end=0)
    assert room.lengths(a, b) == pytest.approx([0.5, 9, 1])


@pytest.mark.parametrize(("x", "rows"), [(4, 4), (8, 3), (5, 6)])
def test_supernode_is_a_cabinet(x, rows):
    """Every cable of the golden model has the length of D 3.4.2, and no cable between cabinets is diagonal (D 3.3)."""
    found = floor_of(f"grid:{x}x{rows}:k4x2")
    expected = Counter()
    for link in golden_dsn.links(found.network):
        (ax, ay, _), (bx, by, _) = link.source, link.target
        inside = (ax, ay) == (bx, by)
        assert ax == bx or ay == by
        length = 2 if inside else 4 + 0.6 * abs(ax - bx) + 2.1 * abs(ay - by)
        expected[frozenset((link.source, link.target)), round(length, 6)] += 1
    drawn = Counter((frozenset((link.source, link.target)), round(metres, 6)) for link, metres in zip(found.links, found.lengths))
    assert drawn == expected
    one = figures(found)
    assert (one["cabinets"], one["per_cabinet"], one["columns"], one["rows"]) == (x * rows, 8, x, rows)
    assert one["total"] == pytest.approx(sum(length * count for (_, length), count in expected.items()))
    assert one["inside"] + one["between"] == one["cables"] == found.network.link_count


def test_cabinets_of_a_torus():
    """Switches with the same x and y are in one cabinet (D 3.4.2). A folded torus has cables of the same total (F note 2)."""
    found = floor_of("torus:4x6x3")
    for number in range(found.network.nodes):
        spot = found.mapping.spots[found.mapping.cabinet[number]]
        assert tuple(spot) == found.network.switch(number)[:2]
    other = floor_of("torus:4x6x3", "folded")
    assert other.average == pytest.approx(found.average)
    assert other.lengths.max() < found.lengths.max()


@pytest.mark.parametrize(
    ("text", "cabinets", "switches"),
    [
        ("dragonfly:a=8,h=2,g=16", 16, 8),
        ("slimfly:q=5", 5, 10),
        ("skywalk:columns=3,rows=2,c=8,inside=4,outside=2", 6, 8),
        ("ring:6:ring-4", 6, 4),
        ("permuted:cabinet=8,seed=1:torus:4x4x2", 4, 8),
    ],
)
def test_cabinets_of_a_topology(text, cabinets, switches):
    """A group of a Dragonfly, two columns of a Slim Fly, the cabinets of a Skywalk: as many cables between any two groups."""
    found = floor_of(text)
    assert np.bincount(found.mapping.cabinet).tolist() == [switches] * cabinets
    a, b = np.sort(found.mapping.cabinet[found.ends[~found.inside]], axis=1).T
    between = Counter(zip(a.tolist(), b.tolist()))
    if text.startswith(("dragonfly", "slimfly")):
        # All pairs of groups have one cable, of a Slim Fly 2 q.
        assert set(between.values()) == {1 if text.startswith("dragonfly") else 10}
        assert len(between) == cabinets * (cabinets - 1) // 2
    if text.startswith("skywalk"):
        spots = found.mapping.spots
        assert all((spots[a] == spots[b]).any() for a, b in between)


def test_folded_row():
    for size in range(1, 12):
        places = folded(np.arange(size), size)
        assert sorted(places.tolist()) == list(range(size))
        around = np.abs(places - np.roll(places, 1))
        assert around.max() <= 2


def test_layers_of_dsn_f_are_in_one_cabinet():
    """16 switches per cabinet hold the four layers of p = 4 (F III-E); layer and local links are inside."""
    found = floor_of("dsn-f:256", capacity=16)
    assert found.network.p == 5 or found.network.p == 4
    for link, inside in zip(found.links, found.inside):
        assert inside == (found.network.ports[link.port].kind in ("local", "layer"))


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("text", ["grid:4x4:k4x2", "torus:4x4x4", "hypercube:6", "mesh:5x5", "ring:12", "dsn-f:63"])
def test_every_mapping_holds_every_switch_once(name, text):
    network = parse_network(text)
    if name == "supernode" and network.cabinet_of(next(iter(network.switches()))) is None:
        with pytest.raises(UsageError, match="needs a network with cabinets of its own, not"):
            arrange(network, name)
        return
    capacity = 8 if name in ("sequential", "optimised") else None
    found = arrange(network, name, capacity)
    assert len(found.cabinet) == network.nodes
    assert set(found.cabinet.tolist()) == set(range(len(found.spots)))
    assert len({*map(tuple, found.spots.tolist())}) == len(found.spots)
    if capacity:
        assert np.bincount(found.cabinet).max() <= capacity


@pytest.mark.parametrize("text", ["grid:4x4:k4x2", "hypercube:6", "dsn-f:160"])
def test_optimised_is_not_longer(text):
    network = parse_network(text)
    lengths = {name: plan(network, name, 16).lengths.sum() for name in ("sequential", "serpentine", "optimised")}
    assert lengths["optimised"] <= lengths["sequential"]
    again = plan(network, "optimised", 16)
    assert (again.mapping.cabinet == plan(network, "optimised", 16).mapping.cabinet).all()


def test_optimised_finds_a_known_floor():
    """A mesh of 4 x 4 cabinets whose numbers are shuffled: its cabinets find places beside their neighbours again."""
    network = parse_network("mesh:4x4x2")
    best = plan(network, "supernode", room=Room(1, 1)).lengths.sum()
    assert plan(network, "optimised", 2, Room(1, 1)).lengths.sum() <= best + 1e-9


def test_list_of_cables():

    found = floor_of("grid:2x3:k4x2")
    rows = cable_list(found).splitlines()
    assert rows[0] == "from,port,to,to_port,from_cabinet,to_cabinet,metres,delay"
    assert len(rows) == 1 + found.network.link_count
    assert '"0,0,0",local_xor1,"0,0,1",local_xor1,C0R0,C0R0,2.000,2.000m' in rows


def test_delays_of_the_list(tmp_path):
    from dsnswitch.sim.network.workload.scenario import delays_of

    found = floor_of("grid:2x3:k4x2")
    file = tmp_path / "cables.csv"
    file.write_text(cable_list(found))
    delays = delays_of(found.network, str(file), 5.0, 1.0)
    expected = {(link.source, link.port): math.ceil(5 * metres - 1e-9) for link, metres in zip(found.links, found.lengths)}
    assert delays == expected


def test_price_of_a_plan():
    """Switch 350.4 k - 892.3; the cheaper of two kinds of cables; power of 2.8 W per port."""
    found, prices = floor_of("grid:8x8:k4x2"), model("slim-fly")
    cost = found.prices(prices, hosts=2)
    switches = sum(350.4 * (len(found.network.links_of(at)) + 2) - 892.3 for at in found.network.switches())
    cables = sum(min(40 * (0.4079 * m + 0.5771), 40 * (0.0919 * m + 2.7452)) for m in found.lengths)
    assert cost["switches"] == pytest.approx(switches)
    assert cost["cables"] == pytest.approx(cables)
    assert cost["installation"] == 0
    assert cost["total"] == pytest.approx(switches + cables)
    ports = sum(len(found.network.links_of(at)) + 2 for at in found.network.switches())
    assert cost["power"] == pytest.approx(2.8 * ports)


def test_copper_does_not_reach_far():
    found, prices = floor_of("grid:4x4:k4x2"), model("cable-monster")
    kinds, each = prices.chosen(found.lengths)
    assert ((kinds == 0) == (found.lengths <= 5)).all()
    copper = [1.25 * (16 * m + 40) for m in found.lengths if m <= 5]
    fibre = [1.25 * (5 * m + 376) for m in found.lengths if m > 5]
    assert each.sum() == pytest.approx(sum(copper) + sum(fibre))
    assert found.prices(prices)["installation"] == pytest.approx(2.5 * found.inside.sum() + 6.25 * (~found.inside).sum())


def test_bill_of_materials():
    found, prices = floor_of("grid:4x4:k4x2"), model("cable-monster")
    rows = found.bill(prices, hosts=1, spare=0.25)
    assert rows[0] == ("cabinet", 16, None, None)
    numbers = {item: number for item, number, *_ in rows}
    assert sum(number for item, number in numbers.items() if item.startswith("switch with")) == 128
    assert sum(number for item, number in numbers.items() if "cable of" in item) == found.network.link_count
    for item, number, one, every in rows[1:]:
        assert every == pytest.approx(number * one), item
    degrees = Counter(len(found.network.links_of(at)) for at in found.network.switches())
    for degree, count in degrees.items():
        assert numbers[f"switch with {math.ceil((degree + 1) * 1.25)} ports"] >= count
    # A cable is ordered in whole metres, so that the bill is not below the price of exact lengths.
    assert sum(row[3] for row in rows[1:]) >= found.prices(prices, 1, 0.25)["total"]
    assert bill_list(rows).splitlines()[1] == "cabinet,16,,"


def test_spare_ports_are_rounded_up():
    found = floor_of("torus:4x4x4")
    assert set(found.ports(2).tolist()) == {8}
    assert [set(found.ports(2, share).tolist()) for share in (0.25, 0.5, 0.3)] == [{10}, {12}, {11}]


@pytest.mark.parametrize("name", MODELS)
def test_models_state_a_source(name):
    found = model(name)
    assert found.name == name
    assert found.source
    assert all(one.base >= 0 and one.per_metre >= 0 and one.reach > 0 for one in found.cables)


BAD = {
    "x = 1": "must have the keys cable, currency, installation, name, source, switch, not x",
    "[[cable]]\nkind = 3": "[[cable]]: kind must be text, not 3",
    "[[cable]]\nbase = -1": "[[cable]]: base must be a number of at least 0, not -1",
    '[[cable]]\nbase = "9"': "[[cable]]: base must be a number of at least 0, not '9'",
    "[[cable]]\nbase = true": "[[cable]]: base must be a number of at least 0, not True",
    "[[cable]]\nprice = 1": "[[cable]] must have the keys kind, base, per_metre, reach, watts, not price",
    "name = 'a'": "must have a table [[cable]] for each kind of cable",
    "cable = 7": "must have a table [[cable]] for each kind of cable",
    "name = 1\n[[cable]]": "name must be text, not 1",
    "switch = 1\n[[cable]]": "[switch] must be a table, not 1",
}


@pytest.mark.parametrize(("text", "message"), BAD.items())
def test_bad_model(text, message, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        model(str(file))
    assert str(error.value).endswith(message)
    assert str(file) in str(error.value)


def test_cables_that_no_kind_reaches(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[[cable]]\nbase = 1\nreach = 6")
    with pytest.raises(UsageError, match=r"must have a cable of 18\.7 m; its longest is shorter$"):
        floor_of("grid:8x8:k4x2").prices(model(str(file)))


def test_pictures():
    found = floor_of("grid:4x4:k4x2")
    pairs = bundles(found)
    assert sum(count for *_, count in pairs) == (~found.inside).sum()
    far = [found.room.lengths(*found.mapping.spots[[a, b]]) for a, b, _ in pairs]
    assert far == sorted(far, reverse=True)
    svg = floor_picture(found, "svg")
    assert svg.startswith("<svg")
    assert "16 cabinets, mapping supernode" in svg
    assert svg == floor_picture(floor_of("grid:4x4:k4x2"), "svg")
    assert floor_picture(found, "png")[:8] == b"\x89PNG\r\n\x1a\n"
    # Two boxes and lines more than a floor of one cabinet less.
    assert svg.count("<path") > len(list(product(range(4), range(4)))) + len(pairs)
