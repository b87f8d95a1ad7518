"""Ethernet traffic: frames built by scapy, one behind the other with gaps of random length."""

from collections import namedtuple

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from ..golden.frames import frame_words, with_check_sequence
from ..golden.pcs.mii import IDLES

__all__ = ["Sent", "frame", "size", "traffic"]

#: Words of idles between the end of a frame and the start of the next. Mostly none: the PCS has to bear that.
GAPS = (0, 0, 0, 0, 1, 1, 2, 3, 5, 40)

#: A frame and where its words are: ``first`` has the start, ``last`` the terminate.
Sent = namedtuple("Sent", "frame first last")


def _mac(rng):
    return ":".join(f"{octet:02x}" for octet in (2, *rng.randbytes(5)))


def _ipv4(rng):
    return ".".join(map(str, rng.randbytes(4)))


def _ipv6(rng):
    return ":".join(f"{rng.getrandbits(16):x}" for _ in range(8))


def size(rng):
    """Length of a frame in octets with check sequence: many short ones, some full, some of 9000."""
    low, high = rng.choice(((64, 64), (64, 160), (64, 160), (64, 1518), (1518, 1518), (1518, 9000), (9000, 9000)))
    return rng.randint(low, high)


def frame(rng, octets):
    """A frame of so many octets (64 or more): ARP, UDP over IPv4, or UDP over IPv6 in a VLAN."""
    ether = Ether(dst=_mac(rng), src=_mac(rng))
    kinds = [
        ether / ARP(hwsrc=_mac(rng), psrc=_ipv4(rng), hwdst=_mac(rng), pdst=_ipv4(rng)),
        ether / IP(src=_ipv4(rng), dst=_ipv4(rng)) / UDP(sport=rng.getrandbits(16), dport=rng.getrandbits(16)),
        ether / Dot1Q(vlan=rng.randrange(4095)) / IPv6(src=_ipv6(rng), dst=_ipv6(rng)) / UDP(dport=9),
    ]
    heads = [head for head in kinds if len(head) <= octets - 4]
    head = rng.choice(heads)
    return with_check_sequence(bytes(head / Raw(rng.randbytes(octets - 4 - len(head)))))


def traffic(rng, count, short=0):
    """``(words, frames)``: at least ``count`` words of frames and gaps, and the :class:`Sent` in them.

    Of the frames the first ``short`` are short.
    """
    words, frames = [], []
    while len(words) < count or len(frames) < short:
        octets = frame(rng, rng.randint(64, 160) if len(frames) < short else size(rng))
        add = frame_words(octets, rng.choice((0, 4)))
        frames.append(Sent(octets, len(words), len(words) + len(add) - 1))
        words += add + [IDLES] * rng.choice(GAPS)
    return words, frames
