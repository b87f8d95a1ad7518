"""Routes of OpenSM's engines and of our turn classes on the same subnets: virtual lanes, hops, load, processor time."""

import io
import re
import tempfile
import time
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dsnswitch.net.files.export import export
from dsnswitch.net.files.formats.infiniband import identities
from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.dumps import given_dump
from dsnswitch.net.tables.sources import summary
from dsnswitch.net.tables.walk import find_cycle, walk
from dsnswitch.net.topology.registry import parse_network
from tools.figures.store import file_schema, lines, read_parts, write_parts
from tools.opensm.fabric import Fabric

#: The graphs, by the text that names each in the page.
GRAPHS = {
    "random, degree 6, 128 switches": "random-ring:n=128,degree=6,seed=1",
    "random, degree 6, 512 switches": "random-ring:n=512,degree=6,seed=1",
    "DSN, 64 switches": "grid:4x2:k4x2",
    "DSN, 512 switches": "grid:8x8:k4x2",
    "dragonfly, 114 switches": "dragonfly:a=6,h=3",
    "Slim Fly, 98 switches": "slimfly:q=7",
    "fat tree, 80 switches": "fattree:k=8",
    "3-D torus, 512 switches": "torus:8x8x8",
    "HyperX, 64 switches": "hyperx:8x8",
    "mesh with random shortcuts, 256 switches": "kleinberg:n=16",
}

#: Name of our routes.
OURS = "turns"

#: A file in the folder of a fabric: the GUID of a root.
_ROOT = "root"


@dataclass(frozen=True)
class Engine:
    """A routing engine of OpenSM with its options; ``{classes}`` is the number of turn classes of ours.

    ``otherwise`` are options with which it is tried again if it cannot route the subnet.
    """

    name: str
    options: tuple = ()
    otherwise: tuple = ()


#: Routing engines by the text that names each in the page. The roots of up*/down* are those that OpenSM finds, or the centre.
ENGINES = {
    "minhop": Engine("minhop"),
    "updn": Engine("updn", (), ("--root_guid_file", _ROOT)),
    "lash": Engine("lash"),
    "dfsssp": Engine("dfsssp"),
    "nue, our lanes": Engine("nue", ("--nue_max_num_vls", "{classes}")),
    "nue, 8 lanes": Engine("nue", ("--nue_max_num_vls", "8")),
}

#: Engines that give all paths the same service level.
ONE_LANE = ("minhop", "updn")

#: Maximum seconds of OpenSM on a shared machine.
MOST_SECONDS = 1800

#: Virtual lanes that an engine needs, by its log, whether it has them or not.
_NEEDED = re.compile(r"Lanes needed: (\d+)|Lane requirements \((\d+)\)")


def figures(made, seconds):
    """The record of tables that were walked: lanes, hops, pairs on the busiest channel, processor seconds."""
    found = summary(made)
    load = {"load": found["load"]["max"], "ideal": found["load"]["ideal"]}
    return {"lanes": made.layers, "hops": found["hops"]["mean"], **load, "seconds": round(seconds, 2)}


def ours(network):
    """The record of our tables with as few turn classes as they need; the time has the check of all pairs."""
    start = time.process_time()
    made = compile_tables(network)
    return figures(made, time.process_time() - start)


def needed(log, engine):
    """``(whether the engine has routed the subnet, the lanes that it needs or None)``, by OpenSM's log."""
    lanes = [int(one or other) for one, other in _NEEDED.findall(log)]
    return f"{engine} tables configured" in log, max(lanes, default=None)


def lanes_of(text, levels):
    """The virtual lane of each path from its service level, by OpenSM's dump of the mapping, which must be one for all ports."""
    rows = {row.strip() for row in re.findall(r"^\d+ +\d+ +:(.*)$", text, re.M)}
    if len(rows) != 1:
        raise UsageError(f"Ports must map service levels to virtual lanes in one way, not {len(rows)}")
    return np.array(rows.pop().split(), np.int64)[levels]


def deadlock(made, lanes):
    """Whether the dependencies of virtual channels have a cycle, with a virtual lane for each pair of hosts: an array (D, D)."""
    wiring, actions = made.wiring, made.actions()
    home, first, second = wiring.ends.home, [], []
    places = [np.flatnonzero(home == switch) for switch in range(wiring.size)]
    for turn in range(max(map(len, places))):
        # A packet from one of the hosts of each switch.
        layer = np.array([lanes[some[turn % len(some)]] if len(some) else 0 * home for some in places])
        walked = walk(wiring, np.where(actions < 0, -1, actions | layer << made.port_bits))
        first.append(walked.first)
        second.append(walked.second)
    return find_cycle(np.concatenate(first), np.concatenate(second)) is not None


def dumped(fabric, folder, engine, seconds):
    """The record of the tables that OpenSM has dumped for a fabric: :func:`figures`, ``lost`` and ``deadlock``.

    ``lost`` is the number of pairs that are not delivered, and ``deadlock`` says whether the routes can deadlock.
    """
    (folder / "graph").write_text(fabric.run("ibnetdiscover"))
    network = parse_network(f"graph:{folder / 'graph'}")
    with redirect_stderr(io.StringIO()):  # Notes on packets that switches send, which carry no data.
        made, _ = given_dump(network, "opensm-lfts.dump", fabric.dump("lfts"))
    ids, ends = identities(network), made.wiring.ends.names
    levels = np.zeros((len(ends),) * 2, np.int64)
    if engine.name not in ONE_LANE:
        levels = np.array(fabric.levels([ids[end].port_guid for end in ends]))
    lanes = lanes_of(fabric.dump("sl2vl"), levels)
    found = {"lanes": 1 + int(lanes.max()), "lost": made.walked.undelivered, "deadlock": deadlock(made, lanes)}
    return figures(made, seconds) | found


def theirs(engine, graph, folder, classes):
    """The record of an engine of OpenSM for a graph in ibnetdiscover's text, with the lanes that it needs by its log.

    If it cannot route the subnet, the record has the first number of lanes that are too many, or None, and its time.
    """
    (folder / "graph").write_text(graph)
    network = parse_network(f"graph:{folder / 'graph'}")
    wiring, ids = Wiring(network), identities(network)
    root = wiring.names[wiring.distance.sum(axis=1).argmin()]
    (folder / _ROOT).write_text(f"0x{ids[root].guid:016x}\n")
    options = ["--qos", "--routing_engine", engine.name, *(word.format(classes=classes) for word in engine.options)]
    for more in dict.fromkeys([(), engine.otherwise]):
        with Fabric(folder, graph, MOST_SECONDS) as fabric, fabric.managed(*options, *more) as seconds:
            routed, lanes = needed(fabric.log(), engine.name)
            if routed:
                return dumped(fabric, folder, engine, seconds) | ({"lanes": lanes} if lanes else {})
    return {"lanes": lanes, "seconds": round(seconds, 2)}


def measured(text, folder, known):
    """The records of all engines and of ours on the network of this name, but measure only those that are not ``known``."""
    graph = export(parse_network(text), "ibnetdiscover")
    (folder / "graph").write_text(graph)
    found = dict(known)
    if OURS not in found:
        found[OURS] = ours(parse_network(f"graph:{folder / 'graph'}"))
    classes = found[OURS]["lanes"]
    for name, engine in ENGINES.items():
        old = "{classes}" in engine.options and found.get(name, {}).get("lanes") != classes
        if name not in found or old:
            found[name] = theirs(engine, graph, folder, classes)
    return found


#: The file of records, relative to the repository.
PATH = "docs/opensm.json"

FORMAT, VERSION = "dsnswitch-opensm", 1

SCHEMA = file_schema(FORMAT, VERSION, networks={"type": "object", "additionalProperties": {"type": "object"}})


@dataclass
class Records:
    """Recorded figures: ``networks`` ``{text of a network: {engine: record}}``."""

    path: Path
    networks: dict = field(default_factory=dict)

    def missing(self):
        """Networks of :data:`GRAPHS` that are not recorded with every engine."""
        return [text for text in GRAPHS.values() if self.networks.get(text, {}).keys() != {*ENGINES, OURS}]

    def forget(self):
        """Remove our routes, so that they are measured again."""
        for found in self.networks.values():
            found.pop(OURS, None)

    def measure(self, bar=unwatched):
        """Measure what is missing, and write the file after each network."""
        for text in bar(self.missing(), "networks"):
            with tempfile.TemporaryDirectory() as folder:
                self.networks[text] = measured(text, Path(folder), self.networks.get(text, {}))
            write_parts(self.path, FORMAT, VERSION, networks=lines(self.networks, " "))


def load(path):
    """The :class:`Records` of the file at ``path``; empty if there is none."""
    return read_parts(Records, path, "File of OpenSM's routes", SCHEMA, "networks")
