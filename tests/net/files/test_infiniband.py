"""What the tools of InfiniBand print: subnets with chassis, loopback plugs and messages, and outputs that are not read."""

import pytest
from graph_files import cables, homes, read

from dsnswitch.net.messages import UsageError

#: ``ibnetdiscover -g``: two chassis, the ports of one with external numbers, and nodes without one. Switch ``s3`` has a loopback
#: plug at port 5, and a cable between its ports 6 and 7.
GROUPED = """\
#
# Topology file: generated on Fri Nov 27 04:36:25 2026
#
# Initiated from node 0000000000000001 port 0000000000000001

Chassis 1 (guid 0xb0)

# Spine Nodes
vendid=0x2c9
devid=0xbd36
sysimgguid=0x1		# Chassis 1
switchguid=0x1(1)	# MF0 Spine 1 Chip 1
Switch	36 "S-0000000000000001"		# "s1" base port 0 lid 1 lmc 0
[1]	"S-0000000000000002"[19][ext 1]		# "s2" lid 2 4xQDR

# Line Nodes
# Chassis Switches
vendid=0x2c9
devid=0xbd36
sysimgguid=0x1		# Chassis 1
switchguid=0x2(2)	# MF0 Line 1 Chip 1
Switch	36 "S-0000000000000002"		# "s2" base port 0 lid 2 lmc 0
[1][ext 1]	"H-0000000000000010"[1](11) 		# "n1 HCA-1" lid 8 4xQDR
[19]	"S-0000000000000001"[1]		# "s1" lid 1 4xQDR
[20]	"S-0000000000000003"[1]		# "s3" lid 3 4xQDR

# Chassis CAs
Chassis 2 (guid 0x7)
Hostname: server

# Spine Nodes
# Line Nodes
# Chassis Switches
# Chassis CAs
Non-Chassis Nodes

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x3
switchguid=0x3(3)	#\x20
Switch	36 "S-0000000000000003"		# "s3" base port 0 lid 3 lmc 0
[1]	"S-0000000000000002"[20]		# "s2" lid 2 4xHDR
[5]	"S-0000000000000003"[5]		# "s3" lid 3 4xHDR
[6]	"S-0000000000000003"[7]		# "s3" lid 3 4xHDR
[7]	"S-0000000000000003"[6]		# "s3" lid 3 4xHDR
[2]	"H-0000000000000020"[1](21) 		# "n2 HCA-1" lid 12 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0x10
caguid=0x10
Ca	1 "H-0000000000000010"		# "n1 HCA-1" (scp)
[1](11) 	"S-0000000000000002"[1][ext 1]		# lid 8 lmc 0 "s2" lid 2 4xQDR

vendid=0x2c9
devid=0x101b
sysimgguid=0x20
caguid=0x20
Ca	1 "H-0000000000000020"		# "n2 HCA-1"
[1](21) 	"S-0000000000000003"[2]		# lid 12 lmc 0 "s3" lid 3 4xHDR
"""

#: Messages on standard error: before the subnet, between lines, and within one, because standard output is written in blocks.
NOISY = 'DR path slid 0; dlid 0; 0,1 -> new Switch {0000000000000010} portnum 0 lid 0-0 ""\n' + GROUPED.replace(
    "\n[20]", "\nsrc/ibnetdisc.c:435; Query remote node (0,1,3) failed, skipping port\n[20]"
).replace('"S-0000000000000003"[1]\t', '"S-00000000ibwarn: [77] _do_madrpc: recv failed: Connection timed out\n00000003"[1]\t')


def known(graph):
    """Links, homes of hosts, and LIDs of a graph."""
    return cables(graph), homes(graph), {name: one.lid for name, one in graph.ids.items()}


FOUND = (
    {("s1", "s2"): 1, ("s2", "s3"): 1},
    {"n1 HCA-1": "s2", "n2 HCA-1": "s3"},
    {"s1": 1, "s2": 2, "s3": 3, "n1 HCA-1": 8, "n2 HCA-1": 12},
)


def test_chassis_and_loopback_plugs(tmp_path, capsys):
    graph = read(tmp_path, GROUPED, "ibnetdiscover")
    assert known(graph) == FOUND
    assert capsys.readouterr().err == (
        f"dsnswitch: {tmp_path / 'file'}: 3 ports lead back to the same node, left out: port 5 of s3\n"
    )
    read(tmp_path, GROUPED.replace("[6]\t", "#").replace("[7]\t", "#"))
    assert "port leads back to the same node, left out: port 5 of s3" in capsys.readouterr().err


def test_messages_of_the_tool(tmp_path, capsys):
    assert known(read(tmp_path, NOISY, "ibnetdiscover")) == FOUND
    assert "file: 3 messages of the tool left out, line 1: DR path slid 0; dlid 0;" in capsys.readouterr().err
    # More messages than are read to recognise a format.
    read(tmp_path, (NOISY.partition("\n")[0] + "\n") * 1000 + GROUPED, "ibnetdiscover")
    assert "file: 1000 messages of the tool left out" in capsys.readouterr().err
    with pytest.raises(UsageError, match="line 4: the tool that wrote the file failed, not 'ibnetdiscover: iberror: "):
        read(tmp_path, GROUPED.replace("# Initiated", "ibnetdiscover: iberror: failed: discover failed\n#"))


def test_nodes_without_a_cable(tmp_path):
    lone = 'Switch\t36 "S-0000000000000009"\t\t# "s9" base port 0 lid 9 lmc 0\n'
    with pytest.raises(UsageError, match="file: switch s9 has no link"):
        read(tmp_path, GROUPED + lone)
    with pytest.raises(UsageError, match="file: switch s9 has no link"):
        read(tmp_path, GROUPED + lone + '[4]\t"S-0000000000000009"[4]\t\t# "s9" lid 9 4xHDR\n')
    with pytest.raises(UsageError, match="file: host n9 HCA-1 has no link"):
        read(tmp_path, GROUPED + 'Ca\t1 "H-0000000000000009"\t\t# "n9 HCA-1"\n')


def test_adapters_without_a_switch(tmp_path):
    """Two hosts on one cable are no network of switches; ibnetdiscover has a space before the GUID of the other one."""
    text = "".join(
        f'caguid=0x{a}\nCa\t1 "H-000000000000000{a}"\t\t# "n{a}"\n'
        f'[1]({a}) \t"H-000000000000000{b}"[1] ({b}) \t\t# lid {a} lmc 0 "n{b}" lid {b} 4xHDR\n'
        for a, b in ((1, 2), (2, 1))
    )
    with pytest.raises(UsageError, match="host n1 must have one link, to a switch, not n2"):
        read(tmp_path, text, "ibnetdiscover")


OTHERS = {
    "ibnetdiscover -l,": 'Ca\t : 0x00000000000000b1 ports 1 devid 0x101b vendid 0x2c9 "n2 HCA-1"\n',
    "ibnodes,": 'Switch\t: 0x0000000000000011 ports 36 "sw2" enhanced port 0 lid 2 lmc 0\n',
    "ibnetdiscover -p": "SW     2 36 0x0000000000000011 4x SDR                                    'sw2'\n",
    "iblinkinfo": "Switch: 0x0000000000000011 sw2:\n           2    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>"
    '      12    1[  ] "n2 HCA-1" (Could be 12X )\n',
    "ibtracert": 'From ca {0x00000000000000a1} portnum 1 lid 8-8 "n1 HCA-1"\n',
    "dump_lfts": "Unicast lids [0x0-0xc] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000000010 (sw1):\n",
    "dump_mfts": "Multicast mlids [0xc000-0xc000] of switch Lid 1 guid 0x0000000000000010 (sw1):\n",
    "opensm-subnet.lst": "{ SW-SM Ports:24 SystemGUID:0000000000000010 NodeGUID:0000000000000010 } { CA Ports:01 }\n",
    "opensm.fdbs": "dump_ucast_routes: Switch 0x0000000000000010\nLID    : Port : Hops : Optimal\n0x0001 : 000\n",
    "opensm-lid-matrix.dump": "Switch: guid 0x0000000000000010\n0x0001: 00 01\n",
}


@pytest.mark.parametrize("tool", OTHERS)
def test_outputs_that_are_no_subnet_name_the_tool_that_is_needed(tmp_path, tool):
    with pytest.raises(UsageError, match=r"file: this is the output of .*; the graph is in that of ibnetdiscover") as error:
        read(tmp_path, OTHERS[tool], "ibnetdiscover")
    assert tool in str(error.value)
