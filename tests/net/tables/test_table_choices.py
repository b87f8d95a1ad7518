"""Tables in which an entry holds a second port: where there is one, that every choice fits the classes, files, and faults."""

from dataclasses import replace

import networkx as nx
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.choices import with_choices
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.files import direct_image, read_file, read_tables, ternary_image, to_csv, to_json
from dsnswitch.net.tables.sources import given_tables, summary
from dsnswitch.net.topology.registry import parse_network

RANDOM = parse_network("jellyfish:n=24,degree=4")
#: Some switches have no hosts.
LEAVES = parse_network("fattree:k=4")


def graph_of(network):
    """Switches by number, with the neighbour at each port."""
    return {
        network.number(at): {port.index: network.number(end[0]) for port, end in network.links_of(at)}
        for at in network.switches()
    }


def entries(made):
    """``{(switch, destination): (action, second port or -1)}``, by the numbers of switches."""
    wiring, found = made.wiring, {}
    for number, table in enumerate(made.tables):
        keys = wiring.keys(wiring.place[number])
        for end, pair in enumerate(zip(table.answers_to(keys).tolist(), table.others_to(keys).tolist())):
            found[number, int(wiring.number[wiring.ends.home[end]])] = pair
    return found


def most_classes(made, ports, known, source, destination):
    """Classes of all choices on the way, by a search of its own; both ports of every switch lead a hop nearer."""
    up = {number: set(made.ports_up(int(place))) for number, place in enumerate(made.wiring.place)}
    distance = nx.single_source_shortest_path_length(nx.Graph([(a, b) for a in ports for b in ports[a].values()]), destination)
    most, states = 0, {(source, None, 0)}
    while states:
        after = set()
        for here, down, number in states:
            if here == destination:
                continue
            for port in {port for port in known[here, destination] if port >= 0}:
                there = ports[here][port]
                assert distance[there] == distance[here] - 1
                rises = bool(down) and port in up[here]
                most = max(most, number + rises)
                after.add((there, port not in up[here], number + rises))
        states = after
    return most + 1


@pytest.mark.parametrize(("network", "classes"), [(RANDOM, 2), (LEAVES, 1)], ids=["two", "leaves"])
def test_every_choice_fits_the_classes(network, classes):
    made, ports = with_choices(compile_tables(network, classes)), graph_of(network)
    alone, known = compile_tables(network, classes), entries(made)
    assert made.longer == 0
    # The first ports are those of tables without a choice.
    assert {pair: ways[0] for pair, ways in known.items()} == {pair: ways[0] for pair, ways in entries(alone).items()}
    needs = {
        most_classes(made, ports, known, network.number(source), network.number(end))
        for source in network.terminals()
        for end in network.terminals()
    }
    assert max(needs) == classes
    assert 0.2 < summary(made)["choices"] < 1


def test_one_class_less_has_no_place_for_the_same_choices():
    """Choices for two classes are refused with one, so that the check of choices can fail."""
    made = with_choices(compile_tables(RANDOM, 2))
    assert made.faults() == ()
    assert "packets that choose among their hops need more than 1 class" in replace(made, layers=1).faults()


def test_a_second_port_that_leads_nowhere_is_found():
    made = with_choices(compile_tables(RANDOM, 3))
    place, entry = next((at, one) for at, one in enumerate(made.tables[0].entries) if one.other is not None)
    wrong = (*made.tables[0].entries[:place], replace(entry, other=made.arrived), *made.tables[0].entries[place + 1 :])
    (fault,) = replace(made, tables=[replace(made.tables[0], entries=wrong), *made.tables[1:]]).faults()
    assert fault.endswith("that chooses among its hops is lost at 0")


def test_dependencies_are_those_of_all_choices():
    """More than those of first hops, and without a cycle: the certificate holds for every choice."""
    alone = compile_tables(RANDOM, 3)
    made = with_choices(alone)
    first, both = (set(zip(one.walked.first.tolist(), one.walked.second.tolist())) for one in (alone, made))
    assert first < both
    assert nx.is_directed_acyclic_graph(nx.DiGraph(list(both)))


def test_files(tmp_path):
    made = with_choices(compile_tables(RANDOM, 3))
    up = {made.wiring.names[at]: made.ports_up(at) for at in made.wiring.place}
    path = tmp_path / "t.json"
    path.write_text(to_json(made.tables, {"up": up, "layers": 3, "port_bits": made.port_bits, "adaptive": True}))
    assert read_tables(path) == made.tables
    again = given_tables(RANDOM, path)
    assert again.two_ports
    assert again.faults() == ()
    (tmp_path / "t.csv").write_text(to_csv(made.tables))
    assert [table.entries for table in read_tables(tmp_path / "t.csv")] == [table.entries for table in made.tables]
    # Without the ports that lead up, nothing says in which classes packets are.
    path.write_text(to_json(made.tables))
    assert "up" not in read_file(path)[1]
    with pytest.raises(UsageError, match=r"second port .other., but the file does not state which ports lead up"):
        given_tables(RANDOM, path)


def test_images_have_both_ports():
    """The second port is above the first; where there is none, it is the first again."""
    made = with_choices(compile_tables(RANDOM, 3))
    table, bits = made.tables[3], made.port_bits
    answers, others = table.answers().tolist(), table.others().tolist()
    words = [int(line, 16) for line in direct_image(table, bits=bits, adaptive=True).splitlines()[2:]]
    assert len({other < 0 for other in others[: len(words)]}) == 2
    for word, action, other in zip(words, answers, others):
        assert word == 1 << 2 * bits | (action if other < 0 else other) << bits | action
    head, *rows = ternary_image(table, 24, bits, adaptive=True).splitlines()[1:]
    assert head.endswith("other[3], action[3]}")
    for row, entry in zip(rows, table.entries):
        second = entry.action if entry.other is None else entry.other
        assert int(row, 16) & (1 << 2 * bits) - 1 == second << bits | entry.action
