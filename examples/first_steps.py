"""First steps in Python. An editor that knows ``# %%`` runs the cells one by one; the lines with ``# >`` are what they print.

The last two cells simulate emitted Verilog: they need a C++ compiler and ``pip install '.[synth]'``.
"""

# %% A network by its name: a DSN of 2 x 2 supernodes, each a group of 8 switches. `dsnswitch topologies` lists the others.
import networkx

import dsnswitch

net = dsnswitch.network("grid:2x2:k4x2")
print(len(net.switches), "switches, the first three", net.switches[:3])
# > 32 switches, the first three [(0, 0, 0), (0, 0, 1), (0, 0, 2)]

# %% The path of a packet, from the switch 1 of a supernode to the switch 6 of another.
for hop in net.route((0, 0, 1), (1, 1, 6)):
    print(hop.source, "->", hop.target, "by", net.graph.ports[hop.port].name)
# > (0, 0, 1) -> (0, 0, 0) by local_xor1
# > (0, 0, 0) -> (1, 0, 1) by x_forward
# > (1, 0, 1) -> (1, 0, 0) by local_xor1
# > (1, 0, 0) -> (1, 1, 1) by y_forward
# > (1, 1, 1) -> (1, 1, 6) by local_cross

# %% Its graph, for everything that networkx knows.
print(networkx.diameter(net.to_networkx()), "links are the diameter")
# > 6 links are the diameter

# %% The routing table of a switch that has a table instead of logic.
(table,) = net.table(node=(0, 0, 1))["tables"]
print(len(table["entries"]), "entries, the first one", table["entries"][0])
# > 7 entries, the first one {'match': '00001', 'action': 8, 'name': 'arrived'}

# %% The Verilog of its switch, with a manifest and what tools need.
for kind, path in net.verilog("rtl", block="route").items():
    print(kind, path)
# > verilog rtl/dsn_route_grid_2x2_k4x2.v
# > template rtl/dsn_route_grid_2x2_k4x2.veo
# > manifest rtl/dsn_route_grid_2x2_k4x2.json
# > file_list rtl/dsn_route_grid_2x2_k4x2.f
# > core rtl/dsn_route_grid_2x2_k4x2.core
# > sdc rtl/dsn_route_grid_2x2_k4x2.sdc

# %% Hosts that send packets through the emitted switch cores.
hosts = net.hosts()
hosts.send((0, 0, 1), (1, 1, 6), b"hello")
(packet,) = hosts.run()
print(packet.payload, "passed", packet.hops, "switches in", packet.latency, "cycles")
# > b'hello' passed 6 switches in 12 cycles

# %% Latency and throughput under random traffic, as `dsnswitch simulate` measures them.
result = net.simulate(load=0.1, cycles=1000)
for point in result["points"]:
    print(f"load {point['load']}: {point['latency']['queued_tail']['mean']:.1f} cycles")
# > load 0.1: 16.4 cycles
