"""SECDED decoder."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.flags import Flags, by_parity
from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.hdl.fec.secded.sharing import syndrome_network
from dsnswitch.hdl.logic.decoders import Minterms
from dsnswitch.hdl.logic.gates import xor_gates
from dsnswitch.net.checks import Parameter

__all__ = ["POSITIONS", "SecdedDecoder"]

#: Forms of the output ``position``.
POSITIONS = ("none", "onehot", "binary")


class SecdedDecoder(wiring.Component):
    """SECDED decoder: corrects one wrong bit and detects two. One word per cycle.

    Parameters
    ----------
    code : SecdedCode
        The code.
    stages : int
        Latency in cycles: 0 is combinational, 1 registers the outputs, 2 the syndrome as well.
    position : str
        One of :data:`POSITIONS`.
    depth : int or None
        Greatest number of XOR levels of the syndrome; None for the fewest that are found.

    Members
    -------
    word : In(n)
        The received word, with the bit order of the encoder.
    data : Out(k)
        The corrected data; as received if ``uncorrectable``.
    corrected : Out(1)
        One bit of the word was wrong, a data or a check bit.
    uncorrectable : Out(1)
        The syndrome is not 0 and matches no bit. Never 1 together with ``corrected``.
    position : Out(n) or Out(ceil(log2 n))
        The corrected bit, one-hot or binary; 0 if none was corrected.
    """

    code = Parameter("The code.")
    stages = Parameter("Latency in cycles.")
    depth = Parameter("Greatest number of XOR levels of the syndrome, or None.")

    def __init__(self, code: SecdedCode, stages=0, position="onehot", depth=None):
        if stages not in (0, 1, 2):
            raise ValueError(f"SECDED decoder stages must be 0, 1 or 2, not {stages}")
        if position not in POSITIONS:
            raise ValueError(f"SECDED position must be one of {', '.join(POSITIONS)}, not {position!r}")
        self._code, self._stages, self._position, self._depth = code, stages, position, depth
        members = {"word": In(code.n), "data": Out(code.k), "corrected": Out(1), "uncorrectable": Out(1)}
        if position == "onehot":
            members["position"] = Out(code.n)
        if position == "binary":
            members["position"] = Out(range(code.n))
        super().__init__(members)

    @property
    def latency(self):
        """Cycles from the word to the outputs."""
        return self._stages

    def elaborate(self, platform):
        m = Module()
        code = self._code
        network = syndrome_network(code, self._depth)
        sums = xor_gates(m, network, self.word, "sum")
        syndrome = Signal(code.r)
        parity = Signal()
        # Not called ``data``: a port has that name, and Verilog would have to escape a second one.
        received = Signal(code.k)
        middle = m.d.sync if self._stages == 2 else m.d.comb
        middle += [syndrome.eq(sums[: code.r]), parity.eq(sums[code.r]), received.eq(self.word[: code.k])]

        *rows, late = network.depths
        m.submodules.flags = flags = Flags(code, 0 if self._stages == 2 else max(0, late - max(rows)))
        order = range(code.r) if code.formula is None else code.formula.order
        minterms = Minterms(m, Cat(syndrome[row] for row in order), "minterm")
        m.d.comb += [flags.syndrome.eq(syndrome), flags.none.eq(minterms(0))]
        wanted = code.n if self._position != "none" or not by_parity(code) else code.k
        match = Signal(wanted)
        m.d.comb += match.eq(Cat(minterms(_reordered(column, order)) for column in code.columns[:wanted]))
        m.d.comb += flags.parity.eq(parity) if by_parity(code) else flags.named_bits.eq(match)

        last = m.d.sync if self._stages else m.d.comb
        last += [
            self.data.eq(received ^ match[: code.k]),
            self.corrected.eq(flags.corrected),
            self.uncorrectable.eq(flags.uncorrectable),
        ]
        if self._position == "onehot":
            last += self.position.eq(match)
        if self._position == "binary":
            bits = range(len(self.position))
            last += self.position.eq(Cat(Cat(match[i] for i in range(code.n) if i >> bit & 1).any() for bit in bits))
        return m


def _reordered(column, order):
    """``column`` with row ``order[i]`` as bit i."""
    return sum((column >> row & 1) << bit for bit, row in enumerate(order))
