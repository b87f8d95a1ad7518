"""Rings with bubbles: a search over all states of small rings, and the certificate against the golden paths."""

from itertools import pairwise, product

import pytest

from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.dependencies import cycle, dependencies
from dsnswitch.net.routing.registry import BUBBLE, relation_of
from dsnswitch.net.routing.torus import BubbleRelation
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.lattices import route


class Ring:
    """A ring in one direction: any host begins any packet at any time, and any head may leave or go on, as long as it likes.

    A state has, of each switch, the flits of its buffer, S (the only one of a packet), H and T (the first and the last of two),
    and what its output is in the middle of: a packet that enters, one that goes on, or none. ``enter(length)`` and
    ``go_on(length)`` are the free flits that a head waits for.
    """

    def __init__(self, switches, depth, longest, enter, go_on):
        self.switches, self.depth, self.heads, self.enter, self.go_on = switches, depth, "SH"[:longest], enter, go_on

    def steps(self, state):
        """``(states that may follow, whether one of them needs neither a new packet nor a head that leaves)``"""
        found, moves = [], False
        for switch, front in enumerate(buffer[:1] for buffer in state[0]):
            free, output = self.depth - len(state[0][(switch + 1) % self.switches]), state[1][switch]
            if output == "enters" and free:
                found.append(self.after(state, switch, "T", output=""))
                moves = True
            for length, head in enumerate(self.heads, 1):
                if not output and free >= self.enter(length):
                    found.append(self.after(state, switch, head, output="enters" if head == "H" else ""))
                if front == head:
                    found.append(self.after(state, switch, takes=True))
                    if not output and free >= self.go_on(length):
                        found.append(self.after(state, switch, head, True, "goes on" if head == "H" else ""))
                        moves = True
            if front == "T" and (free or output != "goes on"):
                goes_on = output == "goes on"
                found.append(self.after(state, switch, "T" * goes_on, True, "" if goes_on else output))
                moves = True
        return found, moves

    def after(self, state, switch, sends="", takes=False, output=None):
        """The state after an output has sent a flit, which the buffer of the same switch loses if it ``takes`` it there.

        Of states that are alike but for where the ring begins, always the same one.
        """
        buffers, outputs = map(list, state)
        buffers[switch] = buffers[switch][takes:]
        buffers[(switch + 1) % self.switches] += sends
        if output is not None:
            outputs[switch] = output
        return min((buffers[n:] + buffers[:n], outputs[n:] + outputs[:n]) for n in range(self.switches))

    def dead(self):
        """A state with packets in which no flit can move if all heads go on; None if there is none."""
        start = [""] * self.switches, [""] * self.switches
        seen, pending = {str(start)}, [start]
        while pending:
            state = pending.pop()
            following, moves = self.steps(state)
            if not moves and any(state[0]):
                return state
            for one in following:
                if (key := str(one)) not in seen:
                    seen.add(key)
                    pending.append(one)
        return None


#: Switches, flits of a buffer, flits of the longest packet.
RINGS = [(3, 2, 1), (4, 3, 1), (3, 3, 2), (3, 4, 2), pytest.param(4, 3, 2, marks=pytest.mark.regress)]


@pytest.mark.parametrize(("switches", "depth", "longest"), RINGS)
def test_no_state_of_a_ring_is_dead(switches, depth, longest):
    """Only with the rule: not if a packet enters with a flit less, nor if each waits for a place for all its flits."""
    rule = lambda length: 1 + (longest if length > 1 else 1)  # noqa: E731
    one, own, less = (lambda length: 1), (lambda length: length), (lambda length: rule(length) - 1)
    assert Ring(switches, depth, longest, rule, one).dead() is None
    assert Ring(switches, depth, longest, less, one).dead()
    assert Ring(switches, depth, longest, own, own).dead()
    # Packets of several lengths leave free flits in pieces, and a longer one that waits for them together waits for ever.
    assert bool(Ring(switches, depth, longest, rule, own).dead()) == (longest > 1)


@pytest.mark.parametrize("spelling", ["torus:4", "torus:5x4", "torus:3x5x2", "torus:3x2"])
def test_numbers_rise_from_ring_to_ring(spelling):
    """Of the golden paths: the channels of a ring have one number, which its packets keep, and others are higher."""
    network = parse_network(spelling)
    relation = relation_of(network, BUBBLE)
    assert set(relation.classes.values()) == {1}
    numbers = {(channel.switch, target): number for channel, target, number in certificate(relation)}
    for source, target in product(network.switches(), repeat=2):
        hops = route(network.sizes, source, target)
        assert [(hop.source, hop.target) for hop in relation.route(source, target)] == [hop[:2] for hop in hops]
        for one, other in pairwise(hops):
            steps = [[(b - a) % size for a, b, size in zip(*hop[:2], network.sizes)] for hop in (one, other)]
            before, after = numbers[one[:2]], numbers[other[:2]]
            assert before == after if steps[0] == steps[1] else before < after


@pytest.mark.parametrize("spelling", ["torus:4x5", "torus:3x4x2"])
def test_packets_go_on_from_the_opposite_port(spelling):
    """The input port of a ring is where its channel ends. Rings of three switches and fewer have none."""
    network = parse_network(spelling)
    rings = relation_of(network, BUBBLE).rings
    assert {network.ports[port].kind for port in rings} == {
        kind for kind, size in zip(network.dimensions, network.sizes) if size > 3
    }
    assert all(network.neighbour(switch, port)[1] == entry for switch in network.switches() for port, entry in rings.items())


def test_a_ring_without_bubbles_has_a_cycle():
    network = parse_network("torus:4x4")
    assert cycle(dependencies(relation_of(network, BUBBLE))) is None
    assert cycle(dependencies(type("Full", (BubbleRelation,), {"is_ring": lambda *_: False})(network)))


def test_a_turn_back_into_the_first_dimension_has_a_cycle():
    """Only inside a ring may packets wait for each other."""

    class Back(BubbleRelation):
        def advance(self, state):
            return [*super().advance(state), *([(("turn", 0), ("turn", 0))] if state[0] == "end" else [])]

    assert cycle(dependencies(Back(parse_network("torus:4x4"))))
