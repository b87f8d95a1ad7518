"""Words of the media independent interface: eight characters, each an octet with a control flag.

A word is a pair ``(data, control)``: octet j is bits 8j..8j+7 of ``data``, bit j of ``control`` marks it as control.
"""

from collections import defaultdict, namedtuple
from functools import lru_cache
from zlib import crc32

#: Control characters with their codes of seven bits: octet -> code (IEEE 802.3 Table 49-1).
CODES = {0x07: 0x00, 0x06: 0x06, 0xFE: 0x1E, 0x1C: 0x2D, 0x3C: 0x33, 0x7C: 0x4B, 0xBC: 0x55, 0xDC: 0x66, 0xF7: 0x78}

ERRORS = (0xFEFE_FEFE_FEFE_FEFE, 0xFF)
IDLES = (0x0707_0707_0707_0707, 0xFF)
#: Two local fault ordered sets, which a receiver sends while it has no link (LBLOCK_R).
FAULT = (0x0100_009C_0100_009C, 0x11)

#: Characters of each block type, lane 7 first as in Figure 49-7: C control, D data, O ordered set, S start, T terminate.
LANES = {
    0x1E: "CCCCCCCC",
    0x2D: "DDDOCCCC",
    0x33: "DDDSCCCC",
    0x66: "DDDSDDDO",
    0x55: "DDDODDDO",
    0x78: "DDDDDDDS",
    0x4B: "CCCCDDDO",
    0x87: "CCCCCCCT",
    0x99: "CCCCCCTD",
    0xAA: "CCCCCTDD",
    0xB4: "CCCCTDDD",
    0xCC: "CCCTDDDD",
    0xD2: "CCTDDDDD",
    0xE1: "CTDDDDDD",
    0xFF: "TDDDDDDD",
}
#: Block types and their characters, by the control flags of a word.
_BY_CONTROL = defaultdict(list)
for _byte, _letters in LANES.items():
    _BY_CONTROL[sum((letter != "D") << 7 - place for place, letter in enumerate(_letters))].append((_byte, _letters))


def lanes(word):
    """The eight characters ``(octet, is control)``, lane 0 first."""
    data, control = word
    return [(data >> 8 * lane & 0xFF, control >> lane & 1) for lane in range(8)]


def join(characters):
    """The word of eight characters, lane 0 first."""
    data = sum(octet << 8 * lane for lane, (octet, _) in enumerate(characters))
    return data, sum(flag << lane for lane, (_, flag) in enumerate(characters))


def _fits(letter, octet, flag):
    match letter:
        case "D":
            return not flag
        case "C":
            return bool(flag) and octet in CODES
        case "O":
            return bool(flag) and octet in (0x9C, 0x5C)
        case "S":
            return bool(flag) and octet == 0xFB
    return bool(flag) and octet == 0xFD


@lru_cache(1 << 12)
def type_of(word):
    """Block type of a word: the byte of its type field, ``"data"``, or None for an error.

    A word of eight control characters with an error among them is an error (Clause 49.2.13.2.3, T_BLOCK_TYPE).
    """
    if word[1] == 0:
        return "data"
    characters = lanes(word)
    for byte, letters in _BY_CONTROL.get(word[1], ()):
        if all(_fits(letter, *character) for letter, character in zip(reversed(letters), characters)):
            return None if byte == 0x1E and 0xFE in [octet for octet, _ in characters] else byte
    return None


def kind(block_type):
    """Kind of a block type: C, S, T, D or E."""
    if block_type in (None, "data"):
        return "D" if block_type else "E"
    letters = LANES[block_type]
    return "T" if "T" in letters else "S" if "S" in letters else "C"


# Ethernet frames as words of the media independent interface, and back. A frame includes its check sequence.

IDLE, START, TERMINATE = (0x07, 1), (0xFB, 1), (0xFD, 1)
#: Preamble of a frame; the start character replaces its first octet.
PREAMBLE = bytes([0x55] * 7 + [0xD5])


def check_sequence(octets):
    """The check sequence of ``octets``: four octets."""
    return crc32(octets).to_bytes(4, "little")


def with_check_sequence(octets, least=64):
    """The frame with these octets, padded to ``least`` octets in total, and its check sequence."""
    octets = bytes(octets).ljust(least - 4, b"\0")
    return octets + check_sequence(octets)


def frame_words(frame, lane=0):
    """Words of a frame that starts in ``lane`` 0 or 4. Idles fill the first and the last word."""
    characters = [IDLE] * lane + [START, *((octet, 0) for octet in PREAMBLE[1:] + frame), TERMINATE]
    characters += [IDLE] * (-len(characters) % 8)
    return [join(characters[start : start + 8]) for start in range(0, len(characters), 8)]


class Received(namedtuple("Received", "frame good first last")):
    """A frame as a receiver sees it.

    Attributes
    ----------
    frame : bytes
        Its octets without preamble, as far as they arrived.
    good : bool
        It has only data between start and terminate, and its preamble, length and check sequence are correct.
    first, last : int
        Indices of the words in which it starts and ends.
    """


def receive(words, least=64):
    """Every frame in ``words``, as :class:`Received`. A frame begins with a start and ends with the next control character."""
    frames, octets, first = [], None, 0
    for index, word in enumerate(words):
        if octets is None and (word == IDLES or not word[1]):
            continue
        if octets is not None and not word[1]:
            octets += word[0].to_bytes(8, "little")
            continue
        for character in lanes(word):
            octet, control = character
            if octets is not None and control:
                frames.append(_judged(bytes(octets), character == TERMINATE, least, first, index))
                octets = None
            if character == START:
                octets, first = bytearray(PREAMBLE[:1]), index
            elif octets is not None:
                octets.append(octet)
    return frames


def _judged(octets, ended, least, first, last):
    frame = octets[len(PREAMBLE) :]
    good = ended and octets[: len(PREAMBLE)] == PREAMBLE and len(frame) >= least
    return Received(frame, good and frame[-4:] == check_sequence(frame[:-4]), first, last)
