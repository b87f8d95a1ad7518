"""Model of the selected link, one group of blocks at a time: both formats, the markers between them, and the receiver."""

from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.golden.line import strict
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.pcs import pcs260
from dsnswitch.sim.golden.pcs.pcs66 import Carry

#: Blocks and words per group, in the light format (False) and in the strict format (True).
GROUPS = {False: (16, 27), True: (strict.BLOCKS, strict.WORDS)}
#: Bits of a block on the line, before any parity of a group; in the light format these are a codeword.
BITS = {False: 270, True: strict.BLOCK}

_MARKER = 0xF21547CCF5114C3CEFAE95963237B84A5F18D421
#: Marker before a format; greatest number of wrong bits of a marker; fillers after it, and their value.
MARKERS = {True: _MARKER, False: _MARKER ^ (1 << 160) - 1}
NEAR, GAP, FILLER = 16, {True: 0, False: 88}, _MARKER ^ int("5" * 40, 16)

_CHECKS = 0x3FF << 260


class Transmitter:
    """Converts groups of four words to words of the line. ``codes`` has the code of the light and of the strict format."""

    def __init__(self, codes):
        carry = Carry()
        self._strict, self._light = strict.Transmitter(codes[True], carry), pcs260.Transmitter("protected", carry)
        self._code = codes[False]

    def group(self, is_strict, groups):
        """Words of the line for a group of 20 or 16 times four words."""
        if is_strict:
            return self._strict.codeword(groups)
        blocks = [self._light.step(group) for group in groups]
        words = secded.numbers(secded.encode(self._code, secded.words(blocks, 260)))
        return regroup([words[0] ^ _CHECKS, *words[1:]], 270, 160)

    @staticmethod
    def change(is_strict):
        """Marker and fillers before a format."""
        return [MARKERS[is_strict]] + [FILLER] * GAP[is_strict]


def formats(words, is_strict):
    """Format of each group on a line without errors whose first format is ``is_strict``.

    An integer in the list stands for a change of format that takes this number of words.
    """
    result, start = [], 0
    while start < len(words):
        if words[start] == MARKERS[not is_strict]:
            is_strict = not is_strict
            result.append(1 + GAP[is_strict])
            start += result[-1]
        else:
            result.append(is_strict)
            start += GROUPS[is_strict][1]
    return result


class Receiver:
    """Converts words of the line, with known boundaries of groups, to groups of four words of the MII. Slips are not modelled."""

    def __init__(self, codes, is_strict, **modes):
        carry = Carry()
        self.strict = strict.Receiver(codes[True], carry=carry, **modes)
        self.light, self._code = pcs260.Receiver("protected", carry), codes[False]
        self._start()
        self.is_strict, self._asked, self.changes = is_strict, is_strict, 0
        self.light_corrected = self.light_uncorrectable = 0

    def _start(self, locked=False):
        self.strict.lock, self.light.lock = strict.Lock(locked=locked), strict.Lock(4, 6, locked, trust=2)

    @property
    def lock(self):
        """Lock of the current format."""
        return (self.strict if self.is_strict else self.light).lock

    def receive(self, words):
        """Groups of four words of the MII for all whole groups of the line."""
        result, start = [], 0
        while start < len(words):
            marker = self.lock.locked and (words[start] ^ MARKERS[not self.is_strict]).bit_count() <= NEAR
            if marker or (not self.lock.locked and not self.lock.stays and self.is_strict != self._asked):
                self.is_strict = not self.is_strict
                self._start(marker)
                self.changes += marker
                start += 1 + GAP[self.is_strict] if marker else 0
                continue
            group = words[start : start + GROUPS[self.is_strict][1]]
            start += len(group)
            if len(group) == GROUPS[self.is_strict][1]:
                result += self._strict_group(group) if self.is_strict else self._light_group(group)
        return result

    def _strict_group(self, words):
        return self.strict.codeword(self.strict.decode(words)[0])

    def _light_group(self, words):
        received = regroup(words, 160, 270)
        received[0] ^= _CHECKS
        data, corrected, uncorrectable, _ = secded.decode(self._code, secded.words(received, 270))
        lock, blocks, errors = self.light.lock, [], []
        for block, fixed, bad in zip(secded.numbers(data), corrected, uncorrectable):
            errors.append(bool(bad) or block & 0xF not in (pcs260.DATA, pcs260.CONTROL))
            self.light_corrected += bool(fixed) and lock.locked
            self.light_uncorrectable += bool(bad) and lock.locked
            blocks.append((block, bool(bad)))
        fault = not lock.locked
        self.light.lock = _NoLock()
        groups = [self.light.step(block, bad, fault) for block, bad in blocks]
        self.light.lock = lock
        many = sum(errors) >= 4
        lock.test(not any(errors), errors[0] or many, 2 if many else 1)
        return groups


class _NoLock:
    """Replaces the PCS's own lock, as the link locks on groups and not on headers."""

    locked = False

    def test(self, valid):
        pass
