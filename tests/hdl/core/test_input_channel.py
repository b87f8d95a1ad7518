"""Input channels, their buffers and the RAM that they share, on Amaranth's simulator, against models whose buffers are lists."""

import random
from collections import deque
from types import SimpleNamespace

import pytest
from amaranth.lib import data

from dsnswitch.hdl.core.input_channel import ChannelBuffer, InputChannel, PooledChannelBuffer
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.shared_buffer import SharedBuffer
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.core import HeaderFormat

from ..switch.notifier_bench import bits_of
from .test_hop_choice import WIDE, hop_word, offered, tag_of

#: A flit with its tag. A tag counts with a head only.
FLIT = data.StructLayout({"data": 6, "head": 1, "tail": 1})
LAYOUT = data.StructLayout({"flit": FLIT, "tag": 3, "drop": 1})


class Buffer:
    """:class:`ChannelBuffer`: two registers for the oldest flits, and a RAM whose flits need a cycle to the second one."""

    def __init__(self):
        self.front = self.second = self.tag = None
        self.ram = deque()

    def now(self, pop, valid):
        self.stays = self.front is not None and not pop
        self.direct = valid and not (self.stays or self.second or self.ram)

    def held(self):
        return (self.front is not None) + (self.second is not None) + len(self.ram)

    def advance(self, entry, confirmed, older=None):
        """A cycle in which ``entry`` arrives, or None; a flit is ``(value of the flit, its head, its tag)``."""
        coming = self.second or (entry if self.direct and confirmed else None)
        if not self.stays:
            self.front = coming
            self.tag = coming[2] if coming and coming[1] else self.tag
        elif older is not None:
            self.front = (older, *self.front[1:])
        reads = self.ram and (self.second is None or not self.stays)
        second = self.second if self.stays else None
        self.second = self.ram.popleft() if reads else second
        if entry and confirmed and not self.direct:
            self.ram.append(entry)


class Pooled(Buffer):
    """:class:`PooledChannelBuffer`: flits for which the buffer has no place go to a list, which has a place in the shared RAM."""

    def __init__(self, depth):
        super().__init__()
        self.depth, self.list, self.taken, self.owed, self.word = depth, deque(), 0, 0, None

    def now(self, pop, valid):
        self.pop, self.has_place = pop, self.taken < self.depth or pop
        self.skips = valid and not self.list and self.word is None and self.has_place
        super().now(pop, self.skips or self.word is not None)
        #: The flit that comes from the list is the next one.
        self.comes, self.direct_own = self.direct and self.word is not None, self.direct
        self.wants = bool(self.list) and self.has_place

    def held(self):
        return super().held() + len(self.list) + (self.word is not None)

    def credit(self, writes, reads):
        return reads or (not self.list and not writes and (self.pop or self.owed > 0))

    def advance(self, entry, confirmed, older=None, reads=False):
        writes = bool(entry) and confirmed and not self.skips
        self.owed += self.pop - self.credit(writes, reads)
        self.taken += ((self.skips and confirmed) or reads) - self.pop
        own = self.word or (entry if self.skips else None)
        super().advance(own, confirmed or self.word is not None, older)
        self.word = self.list.popleft() if reads else None
        if writes:
            self.list.append(entry)


def test_a_buffer_keeps_the_order(simulate):
    """Flits come and go at rates that change, some do not count; the front ages; its tag is that of the last head."""
    depth, header = 5, 4
    dut, chance, model, seen = ChannelBuffer(LAYOUT, depth, True, header), random.Random(1), Buffer(), set()

    async def bench(ctx):
        for step in range(700):
            share = (0.9, 0.3, 0.6)[step // 30 % 3]
            valid = model.held() < depth and chance.random() < share
            entry, confirmed = chance.getrandbits(LAYOUT.size), chance.random() < 0.8
            pop, ages, older = (
                model.front is not None and chance.random() > share - 0.2,
                chance.random() < 0.3,
                chance.getrandbits(4),
            )
            values = {"valid": valid, "confirmed": confirmed, "pop": pop, "ages": ages, "older": older}
            for name, value in values.items():
                ctx.set(getattr(dut, name), int(value))
            ctx.set(dut.entry.as_value(), entry)
            model.now(pop, valid)
            check_buffer(ctx, dut, model)
            states = model.stays, model.direct, bool(model.ram)
            assert (ctx.get(dut.stays), ctx.get(dut.direct), ctx.get(dut.filled)) == states
            seen.add((model.held(), len(model.ram)))
            aged = model.front and (model.front[0] & ~15 | older if ages else model.front[0])
            model.advance(parts(entry) if valid else None, confirmed, aged)
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert {held for held, _ in seen} == set(range(depth + 1))


def parts(word):
    """``(value of flit and mark, head, tag)`` of a word of a buffer."""
    view = LAYOUT.from_bits(word)
    flit = view.flit.as_bits()
    return flit | view.drop << FLIT.size, view.flit.head, view.tag


def check_buffer(ctx, dut, model):
    """The two oldest flits of a buffer. A tag in front counts from the first head on."""
    assert ctx.get(dut.front_valid) == (model.front is not None)
    assert ctx.get(dut.second_valid) == (model.second is not None or getattr(model, "comes", False))
    front, second = (parts(ctx.get(word.as_value())) for word in (dut.front, dut.second))
    if model.front:
        assert front[0] == model.front[0]
    if model.tag is not None:
        assert front[2] == model.tag
    if ctx.get(dut.second_valid):
        assert second == (model.second or model.word)


def test_a_buffer_in_front_of_a_list(simulate):
    depth, pool = 3, 6
    dut, chance, model, seen = PooledChannelBuffer(LAYOUT, depth, pool, True), random.Random(2), Pooled(depth), set()

    async def bench(ctx):
        out = 0
        for step in range(1200):
            share = (0.9, 0.3, 0.6)[step // 30 % 3]
            valid = out < depth + pool and chance.random() < share
            entry, confirmed = chance.getrandbits(LAYOUT.size), chance.random() < 0.8
            pop = model.front is not None and chance.random() > share - 0.2
            word, coming = chance.getrandbits(LAYOUT.size), model.word
            model.now(pop, valid)
            reads = model.wants and chance.random() < 0.6
            if coming:
                flit, _, tag = coming
                word = flit & (1 << FLIT.size) - 1 | tag << FLIT.size | flit >> FLIT.size << FLIT.size + 3
            for name, value in {"valid": valid, "confirmed": confirmed, "pop": pop, "reads": reads}.items():
                ctx.set(getattr(dut, name), int(value))
            ctx.set(dut.entry.as_value(), entry)
            ctx.set(dut.word.as_value(), word)
            check_buffer(ctx, dut, model)
            writes = valid and confirmed and not model.skips
            credit = model.credit(writes, reads)
            wanted = {"stays": model.stays, "direct": model.direct and not coming, "credit": credit, "writes": writes}
            wanted["filled"] = model.ram or model.list or coming
            wanted |= {"wants": model.wants, "filled_now": bool(model.list), "single_now": len(model.list) == 1}
            assert {name: bool(ctx.get(getattr(dut, name))) for name in wanted} == {k: bool(v) for k, v in wanted.items()}
            seen.add((len(model.list), model.owed))
            model.advance(parts(entry) if valid else None, confirmed, None, reads)
            out += (valid and confirmed) - bool(credit)
            assert len(model.list) <= pool
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert {listed for listed, _ in seen} == set(range(pool + 1))
    assert {owed for _, owed in seen} >= {0, 1, 2}


def test_lists_in_a_shared_ram(simulate):
    """Three lists in five words: full, empty, of one word that is read as another comes; the least recently read one is next."""
    channels, words = 3, 5
    layout = data.StructLayout({"data": 7})
    dut, chance, seen = SharedBuffer(layout, channels, words), random.Random(3), set()

    async def bench(ctx):
        lists, order, due = [deque() for _ in range(channels)], list(range(channels)), None
        free, spare = words - 1, True
        for step in range(2000):
            share = (0.9, 0.3, 0.6)[step // 20 % 3]
            to = chance.randrange(channels) if spare and chance.random() < share else None
            entry = chance.getrandbits(7)
            wants = [bool(one) and chance.random() > share - 0.3 for one in lists]
            read = next((v for v in order if wants[v]), None)
            values = {
                "writes": 0 if to is None else 1 << to,
                "wants": sum(bit << v for v, bit in enumerate(wants)),
                "filled": sum(bool(one) << v for v, one in enumerate(lists)),
                "single": sum((len(one) == 1) << v for v, one in enumerate(lists)),
            }
            for name, value in values.items():
                ctx.set(getattr(dut, name), value)
            ctx.set(dut.entry.as_value(), entry)
            assert ctx.get(dut.reads) == (0 if read is None else 1 << read)
            assert ctx.get(dut.spare_valid) == spare
            if due is not None:
                assert ctx.get(dut.word.as_value()) == due
            seen.add(sum(map(len, lists)))
            due = None
            if read is not None:
                due = lists[read].popleft()
                order.append(order.pop(order.index(read)))
            if to is not None:
                lists[to].append(entry)
            refills = free > 0 and (to is not None or not spare)
            spare, free = refills or (spare and to is None), free - refills + (read is not None)
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert seen == set(range(words + 1))


def channel_shape(**more):
    return CoreShape(parse_network("torus:4x3"), flit=64, packet=3, depth=4, spread={"dim0": 2}, **more)


CHANNELS = {
    "choice": (WIDE, 1, True),
    "pool-and-age": (channel_shape(pool={"dim0": 6}, age=3), 0, False),
    "speculative": (channel_shape(virtual_networks=2), 0, True),
}


@pytest.mark.parametrize(("shape", "port", "late"), CHANNELS.values(), ids=CHANNELS)
def test_an_input_channel(simulate, shape, port, late):
    """Packets, refused heads and strays arrive; grants come at rates that change."""
    port, chance, header = shape.ports[port], random.Random(4), Header(shape)
    dut, pool = InputChannel(shape, port, late), shape.pool_of(port)
    depth = shape.most(port)
    model, form = Pooled(shape.depth) if pool else Buffer(), HeaderFormat(bits_of(header.layout), header.code.columns, 3)
    oldest, low = (1 << (shape.age or 0)) - 1, (1 << header.width) - 1

    def new_flit(is_open):
        """``(flit, head, tail, drop, begins, continues, tag)``"""
        kind = "body" if is_open else chance.choice(("head", "head", "head", "refused", "stray"))
        tail = chance.random() < 0.4
        word = chance.getrandbits(shape.flit)
        if kind in ("head", "refused"):
            fields = {"age": chance.choice((0, 2, oldest - 1, oldest))} if shape.age else {}
            word = (
                word & ~low | form.pack({"length": 2, "destination.dim0": chance.randrange(4)} | fields)
                if not shape.is_adaptive
                else word
            )
        head, drop = kind == "head", kind in ("refused", "stray")
        flit = {"data": word, "head": head, "tail": tail, "bad": chance.getrandbits(1)}
        return SimpleNamespace(
            flit=flit,
            head=head,
            tail=tail,
            drop=drop,
            begins=kind in ("head", "refused"),
            continues=is_open,
            tag=offered(chance, shape),
        )

    async def bench(ctx):
        out, is_open, age = 0, False, 0
        asked = (0, 0)
        for step in range(700):
            share = (0.9, 0.3, 0.6)[step // 30 % 3]
            one = new_flit(is_open)
            valid = out < depth and chance.random() < share
            counts = not late or chance.random() < 0.8
            front = model.front and model.front[0]
            granted = 1 << chance.randrange(len(shape.ports)) if front and chance.random() > share - 0.2 else 0
            known = one.tail and chance.random() < 0.8
            ages = chance.random() < 0.3
            pop = bool(granted or (front and front.drop))
            model.now(pop, valid)
            reads = pool and model.wants and chance.random() < 0.6
            free = chance.getrandbits(len(dut.free)) & chance.getrandbits(len(dut.free)) if shape.is_adaptive else 0
            values = {"valid": valid, "begins": one.begins, "continues": one.continues, "single": one.tail, "tail": known}
            values["granted"] = granted
            values |= {"confirmed": counts} if late else {}
            values |= {"free": free} if shape.is_adaptive else {}
            values |= {"ages": ages} if shape.age else {}
            if pool:
                values["reads"] = reads
                ctx.set(dut.word, entry_of(shape, model.word[0] if model.word else new_flit(False)))
            for name, value in values.items():
                ctx.set(getattr(dut, name), int(value))
            ctx.set(dut.entry, entry_of(shape, one))
            second = (model.second or (model.word if pool and model.comes else None) or [None])[0]
            direct = model.direct and not (pool and model.word)
            then = front if model.stays else second
            asks = ctx.get(dut.asks)
            taken = bool(then and then.head)
            assert asks.waiting.taken == taken
            assert asks.entry.taken == (direct and one.begins)
            begun = hop_word(shape, one.tag, None)
            assert (asks.entry.single, (asks.entry.head, asks.entry.channel)) == (one.tail, begun)
            if taken:
                hop = hop_word(shape, then.tag, free if shape.is_adaptive else None)
                assert (asks.waiting.single, (asks.waiting.head, asks.waiting.channel)) == (then.tail, hop)
            goes_on = not (then.head or then.drop) if then else direct and one.continues
            assert asks.body == (asked[0] if goes_on else 0)
            assert ctx.get(dut.last) == (then.tail if then else known)
            assert ctx.get(dut.waits) == (model.stays and front.head)
            assert ctx.get(dut.empty) == (not model.held())
            if front:
                assert same_flit(ctx.get(dut.front), front)
                path = ctx.get(dut.path)
                assert (path.tail, path.drop) == (front.tail, front.drop)
            if front and not front.drop:
                assert (ctx.get(dut.route), path.channel) == asked
            writes = pool and valid and counts and not model.skips
            credit = bool(model.credit(writes, reads) if pool else pop)
            assert ctx.get(dut.credit) == credit
            if late:
                assert ctx.get(dut.unconfirmed) == (direct and not counts)
            if pool:
                states = model.wants, writes, bool(model.list), len(model.list) == 1
                assert tuple(ctx.get(getattr(dut, name)) for name in ("wants", "writes", "filled_now", "single_now")) == states
            if shape.age:
                subject, begins = (then, then.head) if then else (one, one.begins)
                age = form.read(subject.flit["data"] & low)["age"] if begins else oldest
                assert ctx.get(dut.age) == age
            # The head in front, or that comes to the front now, has asked for its hop.
            if taken:
                asked = hop
            elif direct and one.begins and counts and (one.head or shape.is_adaptive):
                asked = begun
            older = model.front and front
            if shape.age and ages and front and front.head:
                word = front.flit["data"]
                old = form.read(word & low)["age"]
                word = word & ~low | form.changed(word & low, {"age": min(old + 1, oldest)})
                older = SimpleNamespace(**vars(front) | {"flit": front.flit | {"data": word}})
            arrives = (one, one.head, None) if valid else None
            model.advance(arrives, counts, older, *([reads] if pool else []))
            if valid and counts:
                out, is_open = out + 1, (one.head or is_open) and not one.tail
            out -= credit
            await ctx.tick()

    simulate(dut, bench, clocked=True)


def entry_of(shape, one):
    return {"flit": one.flit, "tag": tag_of(shape, one.tag), "drop": one.drop}


def same_flit(got, one):
    return all(got[name] == value for name, value in one.flit.items())
