"""SECDED encoder."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.hdl.fec.secded.sharing import parity_network
from dsnswitch.hdl.logic.gates import xor_gates
from dsnswitch.net.checks import Parameter

__all__ = ["SecdedEncoder"]


class SecdedEncoder(wiring.Component):
    """SECDED encoder: appends the check bits to the data. One word per cycle.

    Parameters
    ----------
    code : SecdedCode
        The code.
    stages : int
        Latency in cycles: 0 is combinational, 1 registers the codeword.
    depth : int or None
        Greatest number of XOR levels (:func:`parity_network`); None for the fewest that are found.

    Members
    -------
    data : In(k)
        The data.
    word : Out(n)
        The codeword: bits 0..k-1 are the data, bits k..n-1 the check bits.
    """

    code = Parameter("The code.")
    stages = Parameter("Latency in cycles.")
    depth = Parameter("Greatest number of XOR levels, or None.")

    def __init__(self, code: SecdedCode, stages=0, depth=None):
        if stages not in (0, 1):
            raise ValueError(f"SECDED encoder stages must be 0 or 1, not {stages}")
        self._code, self._stages, self._depth = code, stages, depth
        super().__init__({"data": In(code.k), "word": Out(code.n)})

    @property
    def latency(self):
        """Cycles from the data to the codeword."""
        return self._stages

    def elaborate(self, platform):
        m = Module()
        checks = xor_gates(m, parity_network(self._code, self._depth), self.data, "sum")
        domain = m.d.sync if self._stages else m.d.comb
        domain += self.word.eq(Cat(self.data, checks))
        return m
