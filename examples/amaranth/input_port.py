"""An input port of a switch, made of blocks of dsnswitch in a design of your own.

A header arrives as a SECDED(22,16) codeword. The port corrects it, and the route logic gives the output port of the packet. A
header with two wrong bits is dropped. The packet's data arrive in parallel as RS(7,3) codewords, which the port also corrects.

``python input_port.py`` simulates the port and writes its Verilog to ``input_port.v``.
"""

from amaranth.back import verilog
from amaranth.hdl import Cat, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.sim import Simulator

from dsnswitch.hdl.fec.reed_solomon import code as reed_solomon
from dsnswitch.hdl.fec.reed_solomon.decoder import RsDecoder, decoded_layout
from dsnswitch.hdl.fec.secded import code as secded
from dsnswitch.hdl.fec.secded.coders import SecdedDecoder
from dsnswitch.hdl.routing.contract import OWN, AddressSignature
from dsnswitch.hdl.routing.dsn import RouteLogic
from dsnswitch.net.topology.dsn import grid

DSN = grid(8, 8)
HEADER = secded.SecdedCode(22, 16)
DATA = reed_solomon.NAMED["rs-7-3"]
#: Width of a codeword of the data. All of its symbols arrive in one cycle.
BITS = DATA.n * DATA.field.m
DECODED = decoded_layout(reed_solomon.Beats(DATA, DATA.n))


class InputPort(wiring.Component):
    """Header and data of one packet per cycle.

    Members
    -------
    own : In(AddressSignature)
        Address of the switch: constant while packets flow.
    header : In(22)
        Codeword of 16 bits: the destination's x, y and id, from bit 0, 3 bits each.
    out_port : Out(8), arrived : Out(1)
        Output port of the packet, one-hot. ``arrived``: this switch is the destination.
    drop : Out(1)
        The header could not be corrected, or its destination does not exist.
    i, o : In(stream of 21 bits), Out(stream of decoded codewords)
        The packet's data.
    """

    own: In(AddressSignature(DSN.fields, OWN))
    header: In(HEADER.n)
    out_port: Out(len(DSN.ports))
    arrived: Out(1)
    drop: Out(1)
    i: In(stream.Signature(BITS))
    o: Out(stream.Signature(DECODED))

    def elaborate(self, platform):
        m = Module()
        m.submodules.header_decoder = decoder = SecdedDecoder(HEADER, position="none")
        m.submodules.route = route = RouteLogic(DSN)
        m.submodules.data_decoder = data = RsDecoder(DATA, width=DATA.n)
        connect(m, flipped(self.own), route.own)
        m.d.comb += [
            decoder.word.eq(self.header),
            Cat(route.dst.x, route.dst.y, route.dst.id).eq(decoder.data[:9]),
            self.drop.eq(decoder.uncorrectable | route.invalid),
        ]
        with m.If(~self.drop):
            m.d.comb += [self.out_port.eq(route.out_port), self.arrived.eq(route.arrived)]
        connect(m, flipped(self.i), data.i)
        connect(m, data.o, flipped(self.o))
        return m


def codeword(symbols):
    """The symbols as one number, with the first symbol in the lowest bits."""
    return sum(symbol << DATA.field.m * place for place, symbol in enumerate(symbols))


async def bench(ctx, port):
    """One wrong bit in the header and two wrong symbols in the data change nothing; two wrong bits drop the packet."""
    x, y, number = 3, 5, 7
    header = secded.encode(HEADER, x | y << 3 | number << 6)
    ctx.set(port.own.id, 1)
    for wrong, dropped in ((0, 0), (1 << 1, 0), (1 << 1 | 1 << 9, 1)):
        ctx.set(port.header, header ^ wrong)
        assert ctx.get(port.drop) == dropped
        # Node 0,0,1 sends a packet for 3,5,7 over its forward shortcut in x: bit 4.
        assert ctx.get(port.out_port) == (0 if dropped else 1 << 4)
    sent = reed_solomon.encode(DATA, (1, 2, 3))
    received = [symbol ^ error for symbol, error in zip(sent, (0, 5, 0, 0, 7, 0, 0))]
    ctx.set(port.o.ready, 1)
    ctx.set(port.i.payload, codeword(received))
    ctx.set(port.i.valid, 1)
    await ctx.tick().until(port.i.ready)
    ctx.set(port.i.valid, 0)
    (found,) = await ctx.tick().sample(port.o.payload).until(port.o.valid)
    assert found.symbols == codeword(sent)
    assert (found.errors, found.uncorrectable) == (2, 0)


def main():
    port = InputPort()
    simulator = Simulator(port)
    simulator.add_clock(1e-9)

    async def run(ctx):
        await bench(ctx, port)

    simulator.add_testbench(run)
    simulator.run()
    print("simulated: header and data are corrected")
    with open("input_port.v", "w", encoding="utf-8") as file:
        file.write(verilog.convert(InputPort(), name="input_port", emit_src=False))
    print("wrote input_port.v")


if __name__ == "__main__":
    main()
