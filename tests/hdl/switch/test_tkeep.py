"""TKEEP of hosts on AXI4-Stream: where the count of bytes is, and what it refuses; tests of hosts run the bench."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.switch.byte_count import ByteCountFormat, ByteCountReader, ByteCountWriter
from dsnswitch.hdl.switch.host_port import HostPort
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.golden.core.byte_count import ByteCount

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


@pytest.mark.parametrize("flits", [1, 2])
def test_every_count(simulate, form, flits):
    """An impossible one marks the packet, a possible one is TKEEP of the last beat, and only of this one."""
    unit, most = ByteCountReader(form), {1: 5, 2: 1}[flits]

    async def bench(ctx):
        for count in range(256):
            for last in [0] * (flits - 1) + [1]:
                ctx.set(unit.moves, 1)
                ctx.set(unit.last, last)
                # The bytes around the count change too.
                ctx.set(unit.data, count << 8 * most | ~count << 8 * most + 8)
                possible = 1 <= count <= most
                assert ctx.get(unit.wrong) == (last and not possible)
                assert ctx.get(unit.keep) == ((1 << count) - 1 if last and possible else 63)
                await ctx.tick()

    simulate(unit, bench, clocked=True)


def test_every_tkeep(simulate, form):
    """Of the last of two beats: a single byte may count. A beat that waits changes nothing."""
    unit = ByteCountWriter(form)

    async def bench(ctx):
        ctx.set(unit.data, -1)
        for first in range(64):
            for keep in range(64):
                for mask, last, moves in ((first, 0, 1), (keep, 1, 0), (keep, 1, 1)):
                    ctx.set(unit.moves, moves)
                    ctx.set(unit.last, last)
                    ctx.set(unit.keep, mask)
                    right = (first, keep) == (63, 1)
                    expected = (1 << 48) - 1 if not last else (1 << 48) - 1 ^ 0xFF00 | right << 8
                    assert ctx.get(unit.o) == expected
                    assert not last or ctx.get(unit.wrong) == (not right)
                    await ctx.tick()

    simulate(unit, bench, clocked=True)


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
