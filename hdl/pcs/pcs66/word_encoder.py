"""Encoder of a 64b/66b block."""

from amaranth.hdl import Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gather import Gather
from dsnswitch.hdl.pcs.block_types import BLOCK_TYPES, DATA, code_bit, data_bit, ordered_set_bit
from dsnswitch.hdl.pcs.characters import CODES, ERROR, ORDERED_SETS
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, block66, mii, translate, type_bit

__all__ = ["CONTROL_HEADER", "DATA_HEADER", "ERROR_PAYLOAD", "WordEncoder"]

#: Headers; bit 0 is sent first: in the order of transmission 10 is control, 01 data.
CONTROL_HEADER, DATA_HEADER = 0b01, 0b10

#: Payload of a block of eight errors.
ERROR_PAYLOAD = BLOCK_TYPES[0].byte | sum(CODES[ERROR] << code_bit(lane) for lane in range(8))


class WordEncoder(wiring.Component):
    """Encodes a word as a 64b/66b block with the layout of its type (IEEE 802.3 Figure 49-7). Combinational.

    Members
    -------
    word : In(mii())
        The word.
    types : In(16)
        Block type, one-hot (:class:`Classifier`); 0 makes a block of eight errors.
    coded : Out(block66())
        The block, not scrambled.
    """

    word: In(mii())
    types: In(len(ALL_TYPES))
    coded: Out(block66())

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data.word_select(lane, 8) for lane in range(8)]
        codes = [translate(m, f"code_{lane}", octet, CODES, 7)[0] for lane, octet in enumerate(octets)]
        sets = {lane: translate(m, f"set_{lane}", octets[lane], ORDERED_SETS, 4)[0] for lane in (0, 4)}
        payload = Gather(m, 64, "send")
        for kind in (*BLOCK_TYPES, DATA):
            chosen = type_bit(self.types, kind)
            if kind.byte is not None:
                payload.put(0, f"type_{kind.byte:02x}", Const(kind.byte, 8), chosen)
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        payload.put(data_bit(kind, lane), f"octet_{lane}", octets[lane], chosen)
                    case "C":
                        payload.put(code_bit(lane), f"code_{lane}", codes[lane], chosen)
                    case "O":
                        payload.put(ordered_set_bit(lane), f"set_{lane}", sets[lane], chosen)
        payload.put(0, "errors", Const(ERROR_PAYLOAD, 64), ~self.types.any())
        is_data = type_bit(self.types, DATA)
        m.d.comb += [
            self.coded.payload.eq(payload.value()),
            self.coded.header.eq((is_data << 1) | ~is_data),
        ]
        return m
