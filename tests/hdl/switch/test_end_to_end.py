"""End-to-end check of packets: the check that a host port writes, and wrong packets that it must notice, by the golden model."""

import random

import google_crc32c
import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.fec.crc32c import ONES, WordCrc
from dsnswitch.hdl.switch import end_to_end
from dsnswitch.hdl.switch.end_to_end import EndToEnd
from dsnswitch.hdl.switch.notifier import NoticeFormat
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.golden.fec.crc32c import PacketCheck, crc

_TORUS = {"topology": "torus:2", "packet": 4, "depth": 8, "hosts": 3}
SWITCHES = {
    "256": _TORUS | {"flit": 256, "channels": "host=2"},
    "200": _TORUS | {"flit": 200},
    "32": _TORUS | {"flit": 32},
    "narrow": {"p": 3, "flit": 64, "packet": 4, "depth": 8},
    "detours": {"topology": "ring:1:ring-3", "flit": 96, "packet": 4, "depth": 8, "routing": "detour"},
}
#: Address of the switch.
OWN = 1


def test_crc_is_that_of_the_standard():
    """The golden model and the sums of words, against published values (RFC 3720, B.4) and another implementation."""
    rng = random.Random(4)
    published = {
        b"123456789": 0xE3069283,
        bytes(32): 0x8A9136AA,
        b"\xff" * 32: 0x62A8AB43,
        bytes(range(32)): 0x46DD794E,
        bytes(range(32))[::-1]: 0x113FDB5C,
    }
    for message, value in published.items():
        assert crc(int.from_bytes(message, "little"), 8 * len(message)) == value == google_crc32c.value(message)
    for width in (32, 40, 200, 256):
        message, words = rng.randbytes(width // 8 * 5), WordCrc(width)
        assert crc(int.from_bytes(message, "little"), 8 * len(message)) == google_crc32c.value(message)
        size, register = width // 8, None
        for word in (int.from_bytes(message[low : low + size], "little") for low in range(0, len(message), size)):
            past = words.start if register is None else words.register.apply(register)
            total = words.part(range(width - 32)).apply(word & (1 << width - 32) - 1) ^ past
            register = total ^ word >> width - 32
        assert total ^ ONES == google_crc32c.value(message[:-4])
    with pytest.raises(ValueError, match="must have at least 32 bits, not 31"):
        WordCrc(31)


@pytest.mark.parametrize("name", ["detours", "200"])
def test_sums_of_several_channels(simulate, name):
    """Flits of packets in turn: what the golden model gives for a packet that would end with this flit."""
    block, rng = build({"block": "switch", **SWITCHES[name]}), random.Random(5)
    shape, golden = block.core.shape, PacketCheck({"parameters": block.parameters, **block.facts})
    unit, channels, packets = end_to_end.PacketCheck(shape, 3), 3, [[] for _ in range(3)]
    carried = (1 << block.facts["end_to_end"]["head_bits"]) - 1

    async def bench(ctx):
        for number in range(150):
            channel = rng.randrange(channels + 1)
            begins, tail = channel == channels or not packets[channel] or rng.random() < 0.1, rng.random() < 0.3
            word = rng.getrandbits(shape.flit) & (carried if begins else -1)
            change = rng.getrandbits(len(unit.change)) if begins else 0
            given = rng.choice((0, rng.getrandbits(32)))
            ctx.set(unit.valid, 1 << channel & 7)
            ctx.set(unit.flit, flit_layout(shape).const({"data": word, "head": begins, "tail": tail}))
            ctx.set(unit.change, change)
            ctx.set(unit.given, given)
            if channel < channels:
                packets[channel] = ([] if begins else packets[channel]) + [word ^ change]
                if tail and golden.place(len(packets[channel])) is not None:
                    assert ctx.get(unit.difference) == golden.value(packets[channel]) ^ given, number
                if tail:
                    packets[channel] = []
            await ctx.tick()

    simulate(unit, bench, clocked=True)


class Port:
    """The unit of the last host, packets with random contents, and what the golden model says of them."""

    def __init__(self, values, seed=1):
        self.rng, block = random.Random(seed), build({"block": "switch", **values})
        self.shape = block.core.shape
        port = [port for port in self.shape.ports if port.is_host][-1]
        self.unit, self.layout = EndToEnd(self.shape, port), flit_layout(self.shape)
        self.check = PacketCheck({"parameters": block.parameters, **block.facts})
        #: Bits of a head that a line carries.
        self.carried = block.facts["end_to_end"]["head_bits"]
        self.fields = {field["name"]: field["bits"] for field in block.facts["header"]}
        self.own = OWN | port.index << sum(field.width for field in self.shape.network.fields)
        self.address = min(low for name, (low, _) in self.fields.items() if name.startswith("source"))

    def packet(self, length, address=None):
        """Words of a packet for the host, or for another address."""
        words = [self.rng.getrandbits(self.shape.flit) for _ in range(length)]
        words[0] = self.set(words[0] >> self.address << self.address, undeliverable=0)
        words[0] |= self.own if address is None else address
        return words

    def right(self, length):
        """A packet for the host with its check."""
        return self.check.stamped(self.packet(length))

    def set(self, word, **flags):
        """The word of a head with these flags."""
        for name, value in flags.items():
            low, _ = self.fields.get(f"flags.{name}", (None, None))
            if low is not None:
                word = word & ~(1 << low) | value << low
        return word

    def bits(self, words):
        """``(flit, bit)`` of all bits that the check covers, those of the check, and those of the head that count as 0.

        Of a packet of one flit, the bits that no line carries are in none of them.
        """
        place, flit = self.check.place(len(words)), self.shape.flit
        head = flit if len(words) > 1 else self.carried
        check = {(len(words) - 1, place + bit) for bit in range(32)}
        skipped = {(0, bit) for low, high in self.skipped() for bit in range(low, high + 1)}
        every = {(number, bit) for number in range(len(words)) for bit in range(flit if number else head)}
        # A test for this host does not read the address.
        mine = {(0, bit) for bit in range(self.address)}
        return sorted(every - check - skipped - mine), sorted(check), sorted(skipped | mine)

    def skipped(self):
        """Bits of the header fields that change on the way."""
        kept = ("destination", "source", "layer", "length", "flags.notice", "flags.ordered")
        return [bits for name, bits in self.fields.items() if not name.startswith(kept)]

    def pass_through(self, simulate, sent=(), came=(), gaps=0.2):
        """Send packets both ways at once, flits of all channels mixed.

        ``sent`` are words of packets from the host; ``came`` are ``(words, bad)`` of packets to it. Returns the words of the
        former at the core, and ``(bad, counted)`` of the latter at the host.
        """
        unit, results = self.unit, ([None] * len(sent), [None] * len(came))
        ways = [_Way(self, packets, gaps) for packets in ([(words, 0) for words in sent], came)]

        async def bench(ctx):
            ctx.set(unit.own_address, OWN)
            pins = (unit.host.rx, unit.core.rx), (unit.core.tx, unit.host.tx)
            while any(way.waiting for way in ways):
                for way, (into, _) in zip(ways, pins):
                    way.drive(ctx, into)
                for way, (into, out), result in zip(ways, pins, results):
                    assert ctx.get(out.valid) == ctx.get(into.valid)
                    if way.now is None:
                        assert way is ways[0] or not ctx.get(unit.bad_check)
                        continue
                    number, place, words, _ = way.now
                    flit, tail = ctx.get(out.flit), place == len(words) - 1
                    counted = ctx.get(unit.bad_check) if way is ways[1] else 0
                    assert (flit.head, flit.tail) == (not place, tail)
                    if way is ways[0]:
                        assert tail or not flit.bad
                        result[number] = [*(result[number] or ()), flit.data]
                        continue
                    assert flit.data == words[place]
                    assert tail or (not flit.bad and not counted)
                    result[number] = flit.bad, counted
                await ctx.tick()

        simulate(unit, bench, clocked=True)
        return results


class _Way:
    """Packets in one direction: ``now`` is ``(number, place, words, bad)`` of the flit in this cycle."""

    def __init__(self, port, packets, gaps):
        self._port, self._gaps, self.now = port, gaps, None
        self.waiting = [
            (number, place, words, bad) for number, (words, bad) in enumerate(packets) for place, _ in enumerate(words)
        ]
        self._channel = {}

    def drive(self, ctx, pins):
        rng, self.now = self._port.rng, None
        if not self.waiting or rng.random() < self._gaps:
            ctx.set(pins.valid, 0)
            return
        # One of the first packets, as many as there are channels.
        channels = len(pins.valid)
        open_packets = list(dict.fromkeys(number for number, *_ in self.waiting[:64]))[:channels]
        chosen = rng.choice(open_packets)
        place = next(place for place, (number, *_) in enumerate(self.waiting) if number == chosen)
        self.now = number, at, words, bad = self.waiting.pop(place)
        busy = [self._channel[other] for other in open_packets if other in self._channel and other != number]
        self._channel.setdefault(number, next(v for v in range(channels) if v not in busy))
        tail = at == len(words) - 1
        flit = {"data": words[at], "head": int(not at), "tail": int(tail), "bad": int(tail and bad)}
        ctx.set(pins.valid, 1 << self._channel[number])
        ctx.set(pins.flit, self._port.layout.const(flit))


@pytest.mark.parametrize("values", SWITCHES.values(), ids=SWITCHES)
def test_the_check_is_written_and_tested(simulate, values):
    """Packets from the host get their check. Right packets to it pass, those with a wrong bit or for another host are marked."""
    port = Port(values)
    sent = [port.packet(port.rng.choice((1, 1, 2, 4)), port.rng.getrandbits(port.address)) for _ in range(15)]
    sent = [[port.set(words[0], undeliverable=port.rng.getrandbits(1)), *words[1:]] for words in sent]
    came, expected = [], []
    for number in range(45):
        words, bad = port.right(port.rng.choice((1, 1, 2, 4))), port.rng.getrandbits(1)
        if number % 3 == 1 and port.check.place(len(words)) is not None:
            words = flipped(words, [port.rng.choice([*port.bits(words)[0], *port.bits(words)[1]])])
        elif number % 3 == 2 and (len(words) > 1 or port.check.place(1) is not None):
            words = port.check.stamped(port.packet(len(words), port.own ^ 1 << port.rng.randrange(port.address)))
        wrong = port.check.place(len(words)) is not None and number % 3 > 0
        came.append((words, bad))
        expected.append((bad or int(wrong), int(wrong and not bad)))
    written, seen = port.pass_through(simulate, sent, came)
    assert written == [port.check.stamped(words) for words in sent]
    assert seen == expected
    single = port.check.place(1) is not None
    assert single == (values["flit"] >= 96)
    assert any(words != old for words, old in zip(written, sent) if len(words) == 1) == single


def test_a_packet_without_gaps_passes_after_one_that_has_no_end(simulate):
    """A head begins anew, whatever came before it."""
    port = Port(SWITCHES["200"])
    cut = port.right(4)[:2]
    came = [(port.right(3), 0), (cut, 0), (port.right(3), 0)]
    way = _Way.drive

    def without_tail(self, ctx, pins):
        way(self, ctx, pins)
        if self.now and self.now[2] is cut:
            number, place, _, bad = self.now
            self.now = number, place, [*cut, 0], bad
            ctx.set(pins.flit.tail, 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Way, "drive", without_tail)
        _, seen = port.pass_through(simulate, (), came, gaps=0)
    assert seen == [(0, 0)] * 3


def flipped(words, places):
    """The packet with these bits ``(flit, bit)`` inverted."""
    found = list(words)
    for number, bit in places:
        found[number] ^= 1 << bit
    return found


@pytest.mark.parametrize(
    ("name", "most"), [("200", 8), ("detours", 12), *(pytest.param(name, 256, marks=pytest.mark.regress) for name in SWITCHES)]
)
def test_each_wrong_bit_is_marked(simulate, name, most):
    """Bits, one at a time, in packets of one and of two flits: marked and counted, unless they change on the way."""
    port, came, expected = Port(SWITCHES[name]), [], []
    for length in (1, 2):
        words = port.right(length)
        if port.check.place(length) is None:
            continue
        covered, check, skipped = port.bits(words)
        covered, check, skipped = (port.rng.sample(each, min(len(each), most)) for each in (covered, check, skipped))
        for wrong, places in ((1, covered + check), (0, skipped)):
            came += [(flipped(words, [place]), 0) for place in places]
            expected += [(wrong, wrong)] * len(places)
    _, seen = port.pass_through(simulate, (), came, gaps=0)
    assert seen == expected
    assert {(0, 0), (1, 1)} == set(expected)


def test_wrong_packets_are_marked(simulate):
    """Bursts, words that are repeated, exchanged or of another packet, a packet that another host should have, a packet that is
    marked already, and one that cannot be delivered."""
    port, came, expected = Port(SWITCHES["256"]), [], []

    def wrong(words, bad=0):
        came.append((words, bad))
        expected.append((1, 1 - bad))

    for _ in range(6):
        words, first = port.right(4), port.rng.randrange(3 * 256 - 40)
        burst = [0, *port.rng.sample(range(1, 31), 12), 31]
        # Behind the header.
        wrong(flipped(words, [(1 + (first + bit) // 256, (first + bit) % 256) for bit in burst]))
    for _ in range(2):
        words, other = port.right(4), port.right(4)
        wrong([words[0], words[1], words[1], words[3]])
        wrong([words[0], words[2], words[1], words[3]])
        wrong([words[0], other[1], words[2], words[3]])
        wrong([*words[:3], other[3]])
        wrong([*words[:3], other[3]], bad=1)
        wrong([words[0], *words[2:]])
        address = port.own ^ 1 << port.rng.randrange(port.address)
        wrong(port.check.stamped(port.packet(2, address)))
    _, seen = port.pass_through(simulate, (), came)
    assert seen == expected


def test_undeliverable_packets_keep_their_destination(simulate):
    """A packet for another switch that host 0 receives, marked, has a right check; a changed one has not."""
    port = Port(SWITCHES["detours"])
    words = port.packet(2, port.own ^ 1)
    words[0] = port.set(words[0], undeliverable=1)
    right = port.check.stamped(words)
    came = [(right, 0), (flipped(right, [(0, 1)]), 0), (flipped(right, [(1, 3)]), 0)]
    assert port.pass_through(simulate, (), came)[1] == [(0, 0), (1, 1), (1, 1)]


@pytest.mark.parametrize("flit", [48, 58, 59, 60, 61, 62, 63, 96, 128, 184, 200, 256])
def test_a_notice_leaves_space_for_its_check(flit):
    values = {"topology": "ring:1:ring-3", "routing": "detour", "flit": flit, "packet": 4, "depth": 8}
    block = build({"block": "switch", **values})
    form = block.facts["end_to_end"]
    used = [bit for field in block.facts["notice"] for bit in range(field["bits"][0], field["bits"][1] + 1)]
    assert NoticeFormat(block.core.shape).width == max(used) + 1
    fields = {field["name"]: field["bits"] for field in block.facts["header"]}
    twice = sum(high - low + 1 for name, (low, high) in fields.items() if name.startswith(("destination", "length")))
    assert (form["only_flit"] is not None) == (fields["check"][1] + 1 + twice + 32 <= flit)
    assert form["only_flit"] is None or max(used) < form["only_flit"][0]


@pytest.mark.parametrize(
    ("values", "default", "message"),
    [
        ({"flit": 24, "packet": 4}, "none", "at least 32 bits, not 24"),
        ({"flit": 40, "packet": 1}, "none", "no space for an end-to-end check"),
        ({"flit": 40, "packet": 2}, "crc32c", None),
        ({"flit": 64, "packet": 1}, "crc32c", None),
    ],
)
def test_flits_without_space(values, default, message):
    values = {"block": "switch", "topology": "torus:2", "depth": 8, **values}
    assert build(values).parameters["end_to_end"] == default
    if message:
        with pytest.raises(UsageError, match=message):
            build(values | {"end_to_end": "crc32c"})
    else:
        off = build(values | {"end_to_end": "none"})
        assert off.name == build(values).name + "_unchecked"
        assert "end_to_end" not in off.facts
