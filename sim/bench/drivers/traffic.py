"""Ethernet traffic: frames built by dpkt, with gaps of random length between them."""

from collections import namedtuple

from dpkt.arp import ARP
from dpkt.ethernet import ETH_TYPE_ARP, ETH_TYPE_IP, ETH_TYPE_IP6, Ethernet, VLANtag8021Q
from dpkt.ip import IP, IP_PROTO_UDP
from dpkt.ip6 import IP6
from dpkt.udp import UDP

from dsnswitch.sim.golden.pcs.mii import IDLES, frame_words, with_check_sequence

#: Words of idles between the end of a frame and the start of the next. Mostly none, which a PCS must accept.
GAPS = (0, 0, 0, 0, 1, 1, 2, 3, 5, 40)

#: A frame, and the indices of its first and last word, which have the start and the terminate.
Sent = namedtuple("Sent", "frame first last")


#: Octets before a UDP payload: Ethernet, IPv4 and UDP; Ethernet with a VLAN tag, IPv6 and UDP.
_HEAD4, _HEAD6 = 14 + 20 + 8, 18 + 40 + 8


def size(rng):
    """Random length of a frame in octets with check sequence: many are short, some full (1518), some jumbo (9000)."""
    low, high = rng.choice(((64, 64), (64, 160), (64, 160), (64, 1518), (1518, 1518), (1518, 9000), (9000, 9000)))
    return rng.randint(low, high)


def frame(rng, octets):
    """A frame of ``octets`` octets (at least 64): ARP with padding, UDP over IPv4, or UDP over IPv6 in a VLAN."""
    macs = {"dst": b"\x02" + rng.randbytes(5), "src": b"\x02" + rng.randbytes(5)}
    kind, length = rng.choice(("arp", "ip", "ip6") if octets > _HEAD6 + 4 else ("arp", "ip")), octets - 4
    if kind == "arp":
        request = ARP(sha=macs["src"], spa=rng.randbytes(4), tha=bytes(6), tpa=rng.randbytes(4))
        packet = Ethernet(**macs, type=ETH_TYPE_ARP, data=request)
    elif kind == "ip":
        datagram = _udp(rng, length - _HEAD4)
        packet = Ethernet(
            **macs,
            type=ETH_TYPE_IP,
            data=IP(src=rng.randbytes(4), dst=rng.randbytes(4), p=IP_PROTO_UDP, len=20 + len(datagram), data=datagram),
        )
    else:
        datagram = _udp(rng, length - _HEAD6)
        inner = IP6(src=rng.randbytes(16), dst=rng.randbytes(16), nxt=IP_PROTO_UDP, plen=len(datagram), data=datagram)
        packet = Ethernet(**macs, type=ETH_TYPE_IP6, data=inner)
        packet.vlan_tags = [VLANtag8021Q(type=ETH_TYPE_IP6, id=rng.randrange(1, 4095))]
    content = bytes(packet)
    return with_check_sequence(content + rng.randbytes(length - len(content)))


def _udp(rng, octets):
    """A UDP datagram with ``octets`` octets of payload."""
    return UDP(sport=rng.getrandbits(16), dport=rng.getrandbits(16), ulen=8 + octets, data=rng.randbytes(octets))


def traffic(rng, count, short=0):
    """``(words, frames)``: at least ``count`` words of frames and gaps, and a :class:`Sent` for each frame.

    The first ``short`` frames are short.
    """
    words, frames = [], []
    while len(words) < count or len(frames) < short:
        octets = frame(rng, rng.randint(64, 160) if len(frames) < short else size(rng))
        add = frame_words(octets, rng.choice((0, 4)))
        frames.append(Sent(octets, len(words), len(words) + len(add) - 1))
        words += add + [IDLES] * rng.choice(GAPS)
    return words, frames
