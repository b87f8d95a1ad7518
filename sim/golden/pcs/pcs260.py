"""Model of 256b/260b (D 5.1.2) in plain integers: blocks in both formats, transmitter and receiver."""

from itertools import pairwise

from dsnswitch.sim.golden.pcs import pcs66, pcs257
from dsnswitch.sim.golden.pcs.framing import NAMES, nearest, put_word, take_word
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, type_of
from dsnswitch.sim.golden.pcs.pcs66 import Carry

#: Headers, bit 0 sent first.
DATA, CONTROL = 0b1010, 0b0101


def pack(words, layout):
    """``(header, body)`` of four words. A word without a block type is an error."""
    if all(type_of(word) == "data" for word in words):
        return DATA, sum(data << 64 * place for place, (data, _) in enumerate(words))
    if layout == "literal":
        _, bits = pcs257.compress([pcs66.encode_word(word) for word in words])
        return CONTROL, pcs257.number_of(bits)
    types = [type_of(word) for word in words]
    ends = [place for place in range(4) if types[place] != "data"] + [4]
    slots = [data for data, _ in words]
    for place, following in pairwise(ends):
        slots[place] = put_word(NAMES[types[place]], words[place], place, following - place - 1)
    first = slots.pop(ends[0])
    return CONTROL, sum(slot << 64 * place for place, slot in enumerate([first, *slots]))


def unpack(header, body, layout):
    """``(words, corrected)`` of a block. ``words`` is None if the block cannot be corrected; a single invalid word is ERRORS."""
    distance = (header ^ DATA).bit_count()
    if distance == 2:
        return None, False
    corrected = distance in (1, 3)
    slots = [body >> 64 * place & (1 << 64) - 1 for place in range(4)]
    if distance < 2:
        return [(slot, 0) for slot in slots], corrected
    words, more = (_literal if layout == "literal" else _protected)(body, slots)
    return words, words is not None and (corrected or more)


def _literal(body, slots):
    blocks, corrected = pcs257.expand(False, pcs257.bits_of(body, 256)), False
    words = []
    for header, payload in blocks:
        if header == pcs66.CONTROL:
            nibble, wrong = nearest(payload & 0xFF)
            if not nibble:
                return None, False
            corrected |= bool(wrong)
            payload = payload >> 8 << 8 | next(b for b in NAMES if b is not None and b & 0xF == nibble)
        elif header != pcs66.DATA:
            return None, False
        words.append(pcs66.payload_word(header, payload) or ERRORS)
    return words, corrected


def _protected(body, slots):
    first = take_word(slots[0])
    if first is None:
        return None, False
    start = first[1] or 0
    # Slots in the order of the words.
    order = [*slots[1 : start + 1], slots[0], *slots[start + 1 :]]
    words, due, corrected = [], start, False
    for place, slot in enumerate(order):
        if place < due:
            words.append((slot, 0))
            continue
        taken = take_word(slot)
        if taken is None or taken[1] not in (None, place):
            return None, False
        words.append(taken[3])
        corrected |= taken[4]
        due = place + 1 + (taken[2] or 0)
    return (words, corrected) if due == 4 else (None, False)


class Transmitter:
    """Converts four words to a scrambled block."""

    def __init__(self, layout, carry=None):
        self._layout, self._carry = layout, carry or Carry()

    def step(self, words, wrong=0):
        """The block of four words, 260 bits as an integer. ``wrong`` is a mask of bits to invert before scrambling."""
        header, body = pack([self._carry.follow(word) for word in words], self._layout)
        header, body = header ^ wrong & 0xF, body ^ wrong >> 4
        bits = pcs257.bits_of(body, 256)
        pcs66.scramble(bits, self._carry.bits)
        return header | pcs257.number_of(bits) << 4


class Receiver:
    """Converts a scrambled block to four words, with lock and counters."""

    def __init__(self, layout, carry=None):
        self._layout, self._carry = layout, carry or Carry()
        self.lock = pcs66.Lock()
        self.blocks = self.header_errors = self.corrected_blocks = self.errored_blocks = 0

    def step(self, block, bad=False, fault=None):
        """The four words of a block. ``bad``: the FEC decoder failed on it; ``fault``: no lock, or None to use its own lock."""
        header, bits = block & 0xF, pcs257.bits_of(block >> 4, 256)
        pcs66.descramble(bits, self._carry.bits)
        bad, self._carry.spoiled = bad or self._carry.spoiled, bad
        exact, locked = header in (DATA, CONTROL), self.lock.locked if fault is None else not fault
        self.lock.test(exact)
        if not locked:
            self._carry.state = "INIT"
            return [FAULT] * 4
        words, corrected = unpack(header, pcs257.number_of(bits), self._layout)
        if bad or words is None:
            words, corrected = [ERRORS] * 4, False
        handed = [self._carry.follow(word) for word in words]
        self.blocks += 1
        self.header_errors += not exact
        self.corrected_blocks += corrected
        self.errored_blocks += ERRORS in handed
        return handed
