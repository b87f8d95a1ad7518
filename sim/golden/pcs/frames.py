"""Ethernet frames in words of the media independent interface, and back. A frame is its octets with the check sequence."""

from collections import namedtuple
from zlib import crc32

from .mii import IDLES, join, lanes

__all__ = ["PREAMBLE", "Received", "check_sequence", "frame_words", "receive", "with_check_sequence"]

IDLE, START, TERMINATE = (0x07, 1), (0xFB, 1), (0xFD, 1)
#: What stands before a frame; the start character takes the place of the first octet.
PREAMBLE = bytes([0x55] * 7 + [0xD5])


def check_sequence(octets):
    """The four octets that end a frame of these."""
    return crc32(octets).to_bytes(4, "little")


def with_check_sequence(octets, least=64):
    """A whole frame: filled up to ``least`` octets, check sequence behind."""
    octets = bytes(octets).ljust(least - 4, b"\0")
    return octets + check_sequence(octets)


def frame_words(frame, lane=0):
    """Words of a frame that starts in ``lane`` 0 or 4; idles before it, and behind it up to the end of the word."""
    characters = [IDLE] * lane + [START, *((octet, 0) for octet in PREAMBLE[1:] + frame), TERMINATE]
    characters += [IDLE] * (-len(characters) % 8)
    return [join(characters[place : place + 8]) for place in range(0, len(characters), 8)]


class Received(namedtuple("Received", "frame good first last")):
    """A frame as a receiver sees it.

    Attributes
    ----------
    frame : bytes
        Its octets as far as they came, without preamble.
    good : bool
        From start to terminate nothing but octets, preamble and check sequence are right, and so is the length.
    first, last : int
        Places of the words in which it started and ended.
    """


def receive(words, least=64):
    """Every frame in ``words``, as :class:`Received`: what begins with a start and goes on to the next control character."""
    found, octets, first = [], None, 0
    for place, word in enumerate(words):
        if octets is None and (word == IDLES or not word[1]):
            continue
        if octets is not None and not word[1]:
            octets += word[0].to_bytes(8, "little")
            continue
        for character in lanes(word):
            octet, control = character
            if octets is not None and control:
                found.append(_judged(bytes(octets), character == TERMINATE, least, first, place))
                octets = None
            if character == START:
                octets, first = bytearray(PREAMBLE[:1]), place
            elif octets is not None:
                octets.append(octet)
    return found


def _judged(octets, ended, least, first, last):
    frame = octets[len(PREAMBLE) :]
    good = ended and octets[: len(PREAMBLE)] == PREAMBLE and len(frame) >= least
    return Received(frame, good and frame[-4:] == check_sequence(frame[:-4]), first, last)
