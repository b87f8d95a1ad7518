"""Hosts send packets through a DSN of 2 x 2 supernodes, which are 32 switches as RTL.

``python two_by_two.py MANIFEST [CACHE]``: the manifest belongs to a universal switch or switch core. Its Verilog is compiled
once, into the folder CACHE, and every switch is an instance of it.
"""

import sys
from itertools import product
from statistics import mean

from dsnswitch.sim.network.network import Network


def alone(network):
    """One packet in an empty network."""
    network.send((0, 0, 1), (1, 1, 6), b"hello")
    (packet,) = network.run()
    print(f"0,0,1 to 1,1,6: {packet.payload.rstrip(bytes(1))}, {packet.hops} switches, {packet.latency} cycles")


def all_to_all(network):
    """A packet from every host to every host, all at once."""
    for source, destination in product(network.switches, network.switches):
        network.send(source, destination, f"{source} to {destination}".encode())
    start, packets = network.cycle, network.run()
    for packet in packets:
        (source, _), (destination, _) = packet.source, packet.destination
        assert packet.payload.startswith(f"{source} to {destination}".encode()), packet
    print(f"{len(packets)} packets arrived in {network.cycle - start} cycles")
    print(
        f"mean: {mean(packet.hops for packet in packets):.2f} switches, {mean(p.latency for p in packets):.1f} cycles"
    )


if __name__ == "__main__":
    with Network(*sys.argv[1:]) as network:
        alone(network)
        all_to_all(network)
