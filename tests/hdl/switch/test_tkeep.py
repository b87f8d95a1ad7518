"""TKEEP of hosts on AXI4-Stream: where the count of bytes is, and what it refuses; tests of hosts run the bench."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.switch.byte_count import ByteCountFormat, ByteCountReader, ByteCountWriter
from dsnswitch.hdl.switch.host_port import HostPort
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.golden.core.byte_count import ByteCount

from ..compared import compare

AXI = {"block": "switch", "topology": "torus:2", "hosts": 3, "host_interface": "axi", "tkeep": True, "packet": 4, "depth": 8}


@pytest.mark.parametrize("check", ["crc32c", "none"])
@pytest.mark.parametrize("flit", [48, 72, 96, 184, 192, 256])
@pytest.mark.parametrize("network", [{}, {"topology": "ring:1:ring-3", "routing": "detour"}])
def test_the_count_is_before_the_check(network, flit, check):
    block = build(AXI | network | {"flit": flit, "end_to_end": check})
    golden = ByteCount.of({"parameters": block.parameters, **block.facts})
    places = [8 * golden.place(flits) for flits in (2, 1)]
    stated = block.facts["byte_count"]
    assert [stated["last_flit"], stated["only_flit"]] == [[low, low + 7] for low in places]
    assert places[1] <= 184 - 8
    # No byte of the header is the count's.
    assert places[1] > max(field["bits"][1] for field in block.facts["header"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"flit": 72, "host_interface": "flit"}, "tkeep needs host_interface = axi, not flit"),
        ({"flit": 72, "host_interface": "stream"}, "tkeep needs host_interface = axi, not stream"),
        ({"flit": 40}, "The last flit of a packet has no space .* below bit 8: flit width must be greater"),
        ({"flit": 56}, "Packets of one flit have no space .* and bit 24: flit width must be greater than 56"),
        ({"flit": 60}, "must be a multiple of 8"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(UsageError, match=message):
        build(AXI | values)


def test_it_is_off_by_default():
    """And then neither ports nor manifest have anything of it."""
    block = build({name: value for name, value in AXI.items() if name != "tkeep"} | {"flit": 72})
    assert "tkeep" not in block.name
    assert "byte_count" not in block.facts
    assert "tkeep" not in block.component().host_0.rx.signature.members


@pytest.fixture
def form():
    """Of flits whose count is elsewhere in packets of one flit."""
    return ByteCountFormat(build(AXI | {"flit": 48}).core.shape, True)


class Packets:
    """Packets of several beats or one, which may wait."""

    def __init__(self, form):
        self.form, self.first, self.wrong = form, True, False

    @property
    def most(self):
        """The byte of the count in the last beat."""
        return (self.form.single if self.first else self.form.last) // 8

    def next(self, rng):
        return {"moves": rng.random() < 0.8, "data": rng.getrandbits(48), "last": rng.random() < 0.4}

    def go_on(self, moves, last, wrong=False):
        if moves:
            self.first, self.wrong = last, not last and (self.wrong or wrong)


class Writer(Packets):
    """The lowest bytes of the last beat count, and all of the others."""

    def inputs(self, rng):
        values = self.next(rng)
        keep = (1 << rng.randrange(7)) - 1 if values["last"] else 63
        return values | {"keep": keep ^ (1 << rng.randrange(6) if rng.random() < 0.2 else 0)}

    def cycle(self, moves, data, keep, last):
        counts = {(1 << count) - 1: count for count in range(1, self.most + 1)}
        count, low = 0 if self.wrong else counts.get(keep, 0), 8 * self.most
        shown = {"o": data & ~(255 << low) | count << low if last else data, "wrong": not count if last else None}
        self.go_on(moves, last, keep != 63)
        return shown


class Reader(Packets):
    """Impossible counts have all bytes, and notices some."""

    def inputs(self, rng):
        values, low = self.next(rng), 8 * self.most
        count = rng.choice((rng.randrange(8), 1 << rng.randrange(8), rng.randrange(256)))
        return values | {"data": values["data"] & ~(255 << low) | count << low, "notice": rng.random() < 0.2}

    def cycle(self, moves, data, last, notice):
        count = data >> 8 * self.most & 255
        wrong = last and not notice and not 1 <= count <= self.most
        size = 6 if wrong or not last else self.form.notice if notice else count
        self.go_on(moves, last)
        return {"keep": (1 << size) - 1, "wrong": wrong}


@pytest.mark.parametrize(("unit", "model"), [(ByteCountWriter, Writer), (ByteCountReader, Reader)])
def test_random_packets(simulate, form, unit, model):
    compare(simulate, unit(form), lambda: model(form), 1200, resets=0.05)


def test_a_wrong_tkeep_is_marked_on_the_way(simulate, form):
    """So that ``bad_in`` of the host port counts the packet."""
    unit = HostPort(form.shape, form.shape.ports[-1], "axi", form)

    async def bench(ctx):
        ctx.set(unit.rx.tvalid, 1)
        ctx.set(unit.rx.tlast, 1)
        for keep, bad in ((0b11111, 0), (0b111111, 1), (0b1, 0), (0b101, 1)):
            ctx.set(unit.rx.tkeep, keep)
            await ctx.tick()
            assert ctx.get(unit.core.rx.valid)
            assert ctx.get(unit.core.rx.flit.bad) == bad

    simulate(unit, bench, clocked=True)
