"""Ethernet frames as words of the media independent interface, and back. A frame includes its check sequence."""

from collections import namedtuple
from zlib import crc32

from dsnswitch.sim.golden.pcs.mii import IDLES, join, lanes

__all__ = ["PREAMBLE", "Received", "check_sequence", "frame_words", "receive", "with_check_sequence"]

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
