"""Two switches come up over serial lines from any bit, and their hosts exchange packets."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

#: Of the state of a link: flits flow.
UP = 4
#: Bits of a word of the line; flits of a packet; bits of a flit, of which the first have the header; bits of the check in
#: the last flit.
WORD, LENGTH, FLIT, HEADER, CHECK = 270, 4, 64, 14, 32


async def come_up(dut, offsets):
    """Reset with the lines ``offsets`` bits off, and wait until both links are up. Returns the cycles."""
    dut.rst.value = 1
    dut.offset_0.value, dut.offset_1.value = offsets
    dut.rx_tvalid.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    for cycle in range(20_000):
        await RisingEdge(dut.clk)
        if dut.state_0.value == dut.state_1.value == UP:
            return cycle
    raise AssertionError(f"not up from {offsets}: states {dut.state_0.value}, {dut.state_1.value}")


async def exchange(dut, rng):
    """Each host sends a packet to the other one, and both arrive."""
    sent = [[rng.getrandbits(FLIT) >> HEADER << HEADER for _ in range(LENGTH)] for _ in range(2)]
    found = [[], []]
    place = 0
    dut.rx_tdest.value = 0b01
    dut.rx_tuser.value = LENGTH << 4 | LENGTH
    for _ in range(100):
        dut.rx_tvalid.value = 0b11 if place < LENGTH else 0
        if place < LENGTH:
            dut.rx_tdata.value = sent[1][place] << FLIT | sent[0][place]
            dut.rx_tlast.value = 0b11 if place == LENGTH - 1 else 0
        await ReadOnly()
        ready, data = int(dut.rx_tready.value), int(dut.tx_tdata.value)
        for host in range(2):
            if int(dut.tx_tvalid.value) >> host & 1:
                flit = data >> FLIT * host & (1 << FLIT) - 1
                # The header is in the first flit, and the switch writes the check into the last.
                flit = flit if found[host] else flit >> HEADER << HEADER
                found[host].append(flit & (1 << FLIT - CHECK) - 1 if len(found[host]) == LENGTH - 1 else flit)
        await RisingEdge(dut.clk)
        # Both hosts are served alike.
        assert ready in (0, 3)
        place += ready == 3 and place < LENGTH
        assert int(dut.bad_check.value) == 0
    mask = (1 << FLIT - CHECK) - 1
    assert found == [[*words[:-1], words[-1] & mask] for words in (sent[1], sent[0])]


@cocotb.test()
async def packets_cross_from_any_bit(dut):
    rng = random.Random(1)
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    for offsets in ((0, 0), (1, WORD - 1), (WORD - 1, 1), (2, 3), (rng.randrange(WORD), rng.randrange(WORD))):
        cycles = await come_up(dut, offsets)
        dut._log.info("up after %d cycles, %d and %d bits off", cycles, *offsets)
        await exchange(dut, rng)
