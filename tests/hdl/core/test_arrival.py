"""Arrival of flits at a port, on Amaranth's simulator: right and broken packets in random order, against the rules."""

import random
from collections import Counter

import pytest

from dsnswitch.hdl.core.arrival import EVENTS, Arrival
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape, TableOptions
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.core import HeaderFormat

from ..switch.notifier_bench import bits_of
from .test_route_unit import Answers, check_channel


class Rules:
    """What becomes of the flits of a port; ``answer(header, channel)`` is that of the routing, ``form`` the header's format."""

    def __init__(self, shape, port, form, answer):
        self.shape, self.port, self.form, self.answer = shape, port, form, answer
        #: Of each channel: flits that the open packet still has, whether flits without a packet belong to a dropped one.
        self.left, self.skips = [0] * port.channels, [False] * port.channels

    def reason(self, fields, word, c):
        """Why a head is dropped, or None; the answer of the routing."""
        network = self.port.virtual_network_of(c)
        answer = invalid, _, may_return, hop = self.answer(fields, c)
        if not self.form.is_sane(word) or fields.get("virtual_network", 0) != network:
            return "bad_header", answer
        if fields["hops"] == (1 << Header(self.shape).hop_width) - 1:
            return "expired", answer
        if invalid or hop is None:
            return "invalid" if invalid else "no_route", answer
        back = not self.port.is_host and hop[0] == self.port.index and not may_return
        return "u_turn" if back else None, answer

    def step(self, c, flit, word, counts):
        """``(drop, head, tail, bad, header of a head or None, event, hop)`` of a flit on channel ``c``."""
        fields, left, hop, reason = self.form.read(word), self.left[c], None, None
        starts = not left and flit["head"]
        if starts:
            reason, (_, by_table, _, hop) = self.reason(fields, word, c)
        accepted, cut = starts and not reason, left > 0 and flit["head"]
        rest = left or fields["length"]
        drop, tail = not (left or accepted), bool(flit["tail"] or rest == 1 or cut)
        bad = tail and bool(flit["bad"] or cut or not (flit["tail"] and rest == 1))
        if not left and not flit["head"]:
            reason = None if self.skips[c] else "stray"
        elif not drop and bad and not flit["bad"]:
            reason = "bad_length"
        if accepted:
            word = self.form.next_hop(word, {"flags.by_table": int(by_table)} if self.shape.lookup == "forwarding" else {})
        if counts:
            self.left[c] = 0 if drop or tail else rest - 1
            self.skips[c] = not flit["tail"] and (drop or tail)
        return drop, accepted, tail, bad or bool(flit["bad"]), word if accepted else None, reason if counts else None, hop


ARRIVALS = {
    "two-networks": ({"virtual_networks": 2}, 0),
    "tables": ({"lookup": "forwarding", "table": TableOptions("direct")}, 1),
    "host": ({"packet": 3}, -1),
}


@pytest.mark.parametrize(("more", "number"), ARRIVALS.values(), ids=ARRIVALS)
def test_what_becomes_of_flits(simulate, more, number):
    shape = CoreShape(
        parse_network("torus:4x3"),
        **{"flit": 64, "packet": 5, "hosts": 3, "spread": {"dim0": 2, "host": 2}, "speculative": True} | more,
    )
    port, header, chance, seen = shape.ports[number], Header(shape), random.Random(1), Counter()
    dut, form = Arrival(shape, port), HeaderFormat(bits_of(header.layout), header.code.columns, shape.packet)
    late, low = shape.speculates(port), (1 << header.width) - 1
    answers = Answers(shape, (1, 2), {}, 0, 0)

    def answer(fields, c):
        """The answer, with one hop: the port of a host for ``None``."""
        arrival = None if port.is_host else (port.index, port.class_of(c))
        there = fields["destination.dim0"], fields["destination.dim1"]
        *said, hops = answers.of(there, arrival, 0, fields.get("flags.by_table", 0))
        return said[0] or fields["destination.host"] >= 3, *said[1:], hops[0]

    rules = Rules(shape, port, form, answer)

    def new_flit(c):
        left = rules.left[c]
        head = chance.random() < (0.05 if left else 0.85)
        length = chance.choice((0, 1, 1, 2, 3, shape.packet, shape.packet, shape.packet + 1))
        fields = {"length": min(length, 7), "hops": chance.choice((0, 1, 3, (1 << header.hop_width) - 1))}
        fields |= {"destination.dim0": chance.randrange(4), "destination.dim1": chance.choice((0, 1, 2, 2, 2, 3))}
        fields |= {"destination.host": chance.choice((0, 1, 2, 2, 3)), "source.dim0": chance.randrange(4)}
        fields["source.dim1"] = chance.randrange(3)
        if shape.lookup == "forwarding":
            fields["flags.by_table"] = chance.random() < 0.2
        if shape.virtual_networks > 1:
            fields["virtual_network"] = port.virtual_network_of(c) ^ (chance.random() < 0.1)
        word = form.pack(fields)
        for _ in range(chance.choice((0, 0, 0, 0, 1, 2, 3))):
            word ^= 1 << chance.randrange(header.width)
        word |= chance.getrandbits(shape.flit) & ~low
        tail = chance.random() < (0.85 if left == 1 or (not left and length == 1) else 0.1)
        return {"data": word, "head": int(head), "tail": int(tail), "bad": int(chance.random() < 0.1)}

    def address_bits(word):
        """Destination and source, which are the lowest bits of a header."""
        return word & (1 << 2 * header.address.size) - 1

    async def bench(ctx):
        for name, value in (("dim0", 1), ("dim1", 2)):
            ctx.set(getattr(dut.own, name), value)
        if not port.is_host:
            ctx.set(dut.in_port, 1 << port.index)
        for key in range(16) if "write" in dut.inputs else ():
            # Ports of the network, this switch, or no port.
            action, valid = chance.randrange(6), chance.random() < 0.9
            answers.table[key >> 2, key & 3] = [action] if valid else None
            values = {"loaded": 1, "write": 1, "write_word": key, "write_valid": int(valid), "write_action": action}
            for name, value in values.items():
                ctx.set(getattr(dut, name), value)
            await ctx.tick()
        before = None
        for step in range(1200):
            if "dead" in dut.inputs and step % 50 == 0:
                answers.dead = chance.choice((0, 0, 1 << chance.randrange(4)))
                ctx.set(dut.dead, answers.dead)
            c = chance.randrange(port.channels) if chance.random() < 0.9 else None
            flit, counts = new_flit(c or 0), not late or chance.random() < 0.9
            ctx.set(dut.valid, 0 if c is None else 1 << c)
            ctx.set(dut.flit, flit)
            if late:
                ctx.set(dut.confirmed, counts)
            # After a register, a flit that does not count does not arrive.
            now = c, flit, counts
            if dut.latency:
                now, before = before, (c if counts else None, flit, True)
            if now:
                check(ctx, *now)
            await ctx.tick()

    def check(ctx, c, flit, counts):
        continues = sum(bool(left) << v for v, left in enumerate(rules.left))
        begins = (~continues & (1 << port.channels) - 1) * flit["head"]
        assert (ctx.get(dut.begins), ctx.get(dut.continues)) == (begins, continues)
        assert ctx.get(dut.into) == (0 if c is None else 1 << c)
        events = [name for name in EVENTS if ctx.get(getattr(dut, name))]
        if c is None:
            assert not events
            return
        left, word = rules.left[c], flit["data"] & low
        drop, head, tail, bad, changed, event, hop = rules.step(c, flit, word, counts)
        assert events == [event] * (event is not None)
        if flit["head"] and not left:
            assert ctx.get(dut.single) == (form.read(word)["length"] == 1 if late else flit["tail"])
        assert ctx.get(dut.tail) == (left == 1 if late else flit["tail"])
        entry = ctx.get(dut.entry)
        assert (entry.drop, entry.flit.head) == (drop, head)
        if not drop:
            assert (entry.flit.tail, entry.flit.bad) == (tail, bad)
            assert entry.flit.data == flit["data"] & ~low | (word if changed is None else changed)
        if head:
            fields = form.read(word)
            host = fields["destination.host"]
            to = (True, host) if hop[0] is None else (False, hop[0])
            output = [(one.is_host, one.index) for one in shape.ports].index(to)
            assert entry.tag.route == 1 << output
            check_channel(shape, entry.tag.channel, hop, output, address_bits(word))
        seen[event] += counts

    simulate(dut, bench, clocked=True)
    possible = {"u_turn": not port.is_host, "no_route": shape.lookup == "forwarding"}
    assert {None, *(name for name in EVENTS if possible.get(name, True))} == set(seen)
    assert min(seen.values()) > 3
