"""Valid input for the fuzzers, and pieces of text that make it invalid."""

import json
from pathlib import Path

_TABLE = {"table": "a", "key_width": 2, "action_width": 1, "actions": ["x", "y"]}
_ENTRIES = [{"match": "0*", "action": 0, "name": "x", "remark": "r"}, {"match": "1*", "action": 1, "name": "y"}]
_HEAD = {"format": "dsnswitch-table", "version": 1, "fields": [["x", 2]], "layers": 1, "port_bits": 1, "destinations": {"a": 1}}

#: The command that reads the graph of a file, whose name follows.
_GRAPH = "table --topology graph:"

_SUBNET = Path(__file__).resolve().parents[1] / "graphs/leafspine.ibnetdiscover"

#: A valid file of each kind, and the commands that read it.
SEEDS = {
    "net.toml": (b'block = "route"\nx = 3\ny = 2\nsupernode = "ring-3"\nnode = "1,1,0"\nregister = true\n', "verilog --config"),
    "net.json": (b'{"block": "rs-encoder", "code": "rs-7-3", "symbols": 2}', "verilog --config"),
    "ring.toml": (b'topology = "ring"\nn = 5\nm = 3\ndirections = "forward"\n', "topology --config"),
    "g.edges": (b"# source target kind level\n0 1 x 2\n1 -- 2\n2, 0\n3 -> 0\n", _GRAPH),
    "h.edges": (b"0 2 host\n1 3 host\n2 3\n", "table --format mem --entries 4 --node 2 --topology graph:"),
    "g.anynet": (b"router 0 node 0 router 1 2\nrouter 1 node 1 router 0\n", "table --topology graph:"),
    "g.graphml": (
        b'<?xml version="1.0"?><graphml><key id="k" for="node" attr.name="type"><default>switch</default></key>\n'
        b"<graph edgedefault='undirected'><node id='a'><data key='k'>host</data></node><node id='b'/><node id='c'/>\n"
        b"<edge source='a' target='b'/><edge source='b' target='c'/></graph></graphml>",
        "table --format json --topology graph:",
    ),
    "n.json": (
        b'{"format": "dsnswitch-topology", "version": 1, "nodes": [{"number": 0}, {"number": 1}],\n'
        b'"hosts": [{"name": "h", "node": 1}], "links": [{"source": 0, "target": 1}]}',
        _GRAPH,
    ),
    "cables.csv": (b"from,port,to,to_port,kind\na,1,b,1,x\nh,,a,2,host\n", _GRAPH),
    "p.xml": (
        b"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n<platform version='4.1'><cluster id='c' prefix='n'\n"
        b"radical='0-3' topology='TORUS' topo_parameters='2,2'/></platform>",
        _GRAPH,
    ),
    "z.xml": (
        b"<platform><zone id='z' routing='Floyd'><host id='h'/><router id='r'/><router id='s'/><link id='l'/>\n"
        b"<link id='m'><prop id='links' value='2'/></link><route src='h' dst='r'><link_ctn id='l'/></route>\n"
        b"<route src='r' dst='s'><link_ctn id='m'/></route></zone></platform>",
        "table --format mem --kind direct --node r --topology graph:",
    ),
    "g.dot": (b'strict graph "g" { a -- b -- "c d" [w=1]; subgraph s { h [type=host] } h -- a }\n', _GRAPH),
    "g.gml": (
        b'graph [ directed 0 node [ id 0 type "host" ] node [ id 1 x -1.5 ] node [ id 2 ]\n'
        b"edge [ source 0 target 1 ] edge [ source 1 target 2 d [ e 1 ] ] ]\n",
        _GRAPH,
    ),
    "ib.txt": (
        b'switchguid=0xa(a)\nSwitch\t4 "S-a"\t# "leaf" base port 0 lid 1 lmc 0\n[1]\t"H-b"[1](c)\t# "h" lid 6 4xEDR\n'
        b'[2]\t"H-d"[1](e)\t# "i" lid 3 4xEDR\n[3]\t"S-f"[1]\t# "spine" lid 4 4xEDR\n'
        b'[4]\t"S-a"[4]\t# "leaf" lid 1 4xEDR\nNon-Chassis Nodes\n'
        b'\nSwitch\t4 "S-f"\t# "spine" base port 0 lid 4\n'
        b'\nCa\t1 "H-b"\t# "h"\n[1](c) \t"S-a"[1]\t# lid 6 lmc 1 "leaf" lid 1 4xEDR\nCa 1 "H-d" # "i"\n',
        "table --format lft --topology graph:",
    ),
    "cray.txt": (b"c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l10(0:0:1)\nc0-0c0s0a0l01(0:0:0) blue -> unused\n", _GRAPH),
    "s.edges": (b"4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n", _GRAPH),
    "g.lgl": (b"# a\nb 1.5\n# b\nc 2\nd\n", _GRAPH),
    "simai.txt": (b"4 2 1 1 4 H100\n2 3\n0 2 9Gbps 1us 0\n1 2 9Gbps 1us 0\n0 3 9Gbps 1us 0\n1 3 9Gbps 1us 0\n", _GRAPH),
    "topology.conf": (b"SwitchName=a Nodes=n[0-1,08] # c\nSwitchName=b Switches=a \\\n Nodes=m[1-2]x\n", _GRAPH),
    "nodes.json": (
        b'{"directed": false, "nodes": [{"id": 0}, {"id": [0, 1]}, {"id": "h", "type": "host"}],\n'
        b'"links": [{"source": 0, "target": [0, 1]}, {"source": 0, "target": "h"}]}',
        _GRAPH,
    ),
    "gephi.csv": (b"Source,Target,Type\na,b,Directed\nb,a,Directed\nb,c,Directed\n", _GRAPH),
    "ptm.dot": (b'graph { "a":"swp1" -- "b":"swp2":n; h [function=host]; h:e1 -- a:swp3; h:e2 -- b }\n', _GRAPH),
    "adj.txt": (b"a b c\nb c\nc\n", _GRAPH),
    "u.lft": (
        b"".join(
            b"Unicast lids [0x0-0xb] of switch Lid %d guid 0x%x ():\n  Lid  Out   Destination\n" % (at, at)
            + b"".join(b"0x%04x %03d : (Switch)\n" % entry for entry in enumerate(ports, 1))
            + b"11 valid lids dumped\nibwarn: [1] main: slow\n"
            for at, ports in enumerate(
                (
                    (0, 3, 4, 3, 4, 1, 2, 3, 4, 4, 4),
                    (2, 0, 2, 2, 3, 2, 2, 1, 2, 2, 2),
                    (5, 4, 0, 4, 5, 5, 5, 4, 1, 2, 3),
                    (1, 2, 3, 0, 2, 1, 1, 2, 3, 3, 3),
                    (1, 2, 3, 2, 0, 1, 1, 2, 3, 3, 3),
                ),
                1,
            )
        ),
        f"table --topology graph:{_SUBNET} --load",
    ),
    "t.csv": (b'table,match,action,name,remark\na,0*,0,x,r\na,1*,1,y\n"b",*,3\n', "table --format json --load"),
    "t.json": (json.dumps(_HEAD | {"tables": [_TABLE | {"entries": _ENTRIES}]}).encode(), "table --format mem --load"),
    "s.toml": (
        b'title = "t"\nload = "0.1:0.5"\npoints = 3\n[[series]]\nname = "a"\ntopology = "hypercube:{size}"\nsize = ["2", "3"]\n'
        b'seed = [1, 2]\n[[series]]\nname = "b"\ntopology = "torus:4"\nload = [0.1]\nfail = []\nlink_delay = ["5m", 0]\n',
        "sweep run --workers 0",
    ),
}

#: Pieces that a reader must refuse or accept without a crash: characters, numbers, nesting, elements, words.
CHUNKS = ["\0", "\n", "\r", "\x1b[31m", "\u2028", "\ufeff", "\u0661", "\ud800", "\\ud800", "9" * 5000, "0x" + "f" * 5000]
CHUNKS += ["x" * 3000, "[" * 3000, '{"a":' * 3000, "<a>" * 300, "&lol;", "<!DOCTYPE g>", "<edge source='a'/>", "</graph>"]
CHUNKS += ["a.b.c = 1\n", "[b]\n", '"a": 1,', "<node id='a'/>", "a b", " 0 0 ", "65536", "4096", "999999999", "1e999"]
CHUNKS += [
    '"',
    "'",
    ",",
    "*",
    "1",
    "-1",
    "true",
    "null",
    "NaN",
    "nan",
    "1.0",
    "[]",
    "{}",
    "]",
    "}",
    "#",
    "<graph/>",
    "<edge/>",
    "router",
    "node",
]

#: Values of options: numbers, and words.
NUMBERS = [*range(-1, 10), 16, 17, 31, 32, 64, 65, 100, 4096, 4097, 65536, 1 << 31, 10**17]
WORDS = ["", "9" * 30, "a\nb", "\x1b[0m", "ä", "\udcff", "x" * 300, *SEEDS]
WORDS += [
    "-",
    "0",
    "1",
    "2,1,0",
    "0,0,0",
    "1,1",
    "9,9,9",
    "x",
    "-1",
    "nan",
    "inf",
    "1e-5",
    "0.1",
    "1e400",
    "0x7",
    "k4x2",
    "ring-3",
    "ring-64",
    "coc-2x2",
    "coc-2x",
    "2x2",
    "8x8x8",
]
WORDS += [
    "none",
    "shortest",
    "json",
    "csv",
    "mem",
    "edges",
    "svg",
    "graphml",
    "syndromes,division",
    ".",
    "missing/file",
    "/dev/null/x",
    "out",
]

# Options that make a command quick, unless other values are drawn.
QUICK = {"vectors": ["--count", "1"], "simulate": ["--words", "10"], "framing": ["--patterns", "10"]}

# Options that select a network or a block, so that checks after the first one are reached.
STARTS = {
    "verilog": [
        ["-p", "1"],
        ["--block", "route", "--topology", "ring", "-n", "5"],
        ["--block", "rs-decoder", "--code", "rs-7-3"],
        ["--folder", "out"],
    ],
    "topology": [["-p", "1"], ["-p", "2", "--format", "svg"], ["--topology", "ring", "-n", "5", "-m", "3"]],
    "route": [["-p", "1", "--from", "0,0,0", "--to", "1,1,1"]],
    "check": [["-p", "1"], ["--config", "ring.toml"]],
    "table": [
        ["-p", "1"],
        ["--topology", "graph:g.edges"],
        ["--topology", "graph:g.graphml"],
        ["--load", "t.json"],
        ["--load", "t.csv"],
    ],
    "vectors": [["--code", "rs-7-3"]],
    "link": [["--ber", "1e-5"], ["--snr", "12"]],
    "schema": [["topology"], ["tables"], ["-", "x"]],
}
