"""Hosts send packets through a DSN of 2 x 2 supernodes, which are 32 switches as RTL.

``python two_by_two.py MANIFEST``: the manifest belongs to a universal switch core. Its Verilog is compiled once, and every switch
is an instance of it.
"""

import argparse
from itertools import product
from statistics import mean

from dsnswitch.sim.network.experiment.packets import Network


def alone(network):
    """One packet in an empty network."""
    network.send((0, 0, 1), (1, 1, 6), b"hello")
    (packet,) = network.run()
    print(f"0,0,1 to 1,1,6: {packet.payload}, {packet.hops} switches, {packet.latency} cycles")


def all_to_all(network):
    """A packet from every host to every host, all at once."""
    for source, destination in product(network.switches, network.switches):
        network.send(source, destination, f"{source} to {destination}".encode())
    start, packets = network.cycle, network.run()
    last = max(packet.received for packet in packets)
    print(f"{len(packets)} packets arrived, intact and in order, in {last - start} cycles")
    print(
        f"mean: {mean(packet.hops for packet in packets):.2f} switches, {mean(p.latency for p in packets):.1f} cycles"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", help="manifest of the core: rtl/NAME.json")
    with Network(parser.parse_args().manifest) as hosts:
        alone(hosts)
        all_to_all(hosts)
