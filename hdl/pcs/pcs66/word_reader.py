"""Reader of the characters of a 64b/66b block whose type is known."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gather import Gather
from dsnswitch.hdl.pcs.block_types import code_bit, data_bit, ordered_set_bit
from dsnswitch.hdl.pcs.characters import CODES, ERROR, ORDERED_SETS, START, TERMINATE, inverse
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, control_of, mii, translate, type_bit

__all__ = ["WordReader"]


class WordReader(wiring.Component):
    """Reads the word of a block by the layout of its type (IEEE 802.3 Figure 49-7). Combinational.

    Parameters
    ----------
    flagged : bool
        Flag error characters in ``errors``; their octets are 0 in ``word``.

    Members
    -------
    payload : In(64)
        The descrambled payload.
    named : In(16)
        Type by the type field, one-hot in the order of ``ALL_TYPES``; the codes may be invalid.
    word : Out(mii())
        The word.
    errors : Out(8)
        Lanes with an error character; only with ``flagged``.
    """

    def __init__(self, flagged=False):
        self._flagged = flagged
        errors = {"errors": Out(8)} if flagged else {}
        super().__init__({"payload": In(64), "named": In(len(ALL_TYPES)), "word": Out(mii()), **errors})

    def elaborate(self, platform):
        m = Module()
        payload = self.payload
        fields = [payload[code_bit(lane) : code_bit(lane) + 7] for lane in range(8)]
        octets = {code: octet for code, octet in inverse(CODES).items() if not (self._flagged and octet == ERROR)}
        codes = [translate(m, f"code_{lane}", field, octets, 8)[0] for lane, field in enumerate(fields)]
        set_codes = {lane: payload[ordered_set_bit(lane) : ordered_set_bit(lane) + 4] for lane in (0, 4)}
        sets = {
            lane: translate(m, f"set_{lane}", code, inverse(ORDERED_SETS), 8)[0] for lane, code in set_codes.items()
        }
        word = Gather(m, 64, "take")
        for kind in ALL_TYPES:
            chosen = type_bit(self.named, kind)
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        start = data_bit(kind, lane)
                        word.put(8 * lane, f"octet_{start // 8}", payload[start : start + 8], chosen)
                    case "C":
                        word.put(8 * lane, f"code_{lane}", codes[lane], chosen)
                    case "O":
                        word.put(8 * lane, f"set_{lane}", sets[lane], chosen)
                    case "S":
                        word.put(8 * lane, "start", Const(START, 8), chosen)
                    case "T":
                        word.put(8 * lane, "terminate", Const(TERMINATE, 8), chosen)
        if self._flagged:
            for lane, field in enumerate(fields):
                controls = Cat(type_bit(self.named, kind) for kind in ALL_TYPES if kind.lanes[lane] == "C").any()
                m.d.comb += self.errors[lane].eq(controls & (field == CODES[ERROR]))
        m.d.comb += [self.word.data.eq(word.value()), self.word.control.eq(control_of(self.named))]
        return m
