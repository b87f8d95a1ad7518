"""The options of networks, switch cores, links, switches and simulations, each declared once.

To add an option, add an entry here and the code that obeys it. The options of codes, of the physical coding sublayer and of the
baselines stand with their blocks in ``gen/blocks``.
"""

from dataclasses import dataclass, replace

from dsnswitch.net.messages import shortened
from dsnswitch.net.options import Options, choice, flag, integer, number, text
from dsnswitch.net.routing.registry import ROUTINGS, TWO_STAGE, UGAL
from dsnswitch.net.topology.addresses import KEYS
from dsnswitch.net.topology.registry import TOPOLOGIES, topology_of

#: A network: one text, or the parameters of the topologies that have some.
NETWORK = {
    "topology": text(
        "A network as one text, such as torus:8x8x8. The command topologies lists all. Or grid or ring alone, with the parameters"
        " below; n without p, x and y means ring.",
        default="grid",
    ),
    **{key: one for name in TOPOLOGIES for key, one in topology_of(name).options.items()},
}

#: Sizes of a DSN that are inputs of a core.
MAX_P = integer(
    "Sizes as inputs, of up to 2^P supernodes. One netlist for every grid or ring of up to 2^P in each dimension.",
    1,
    NETWORK["p"].high,
)

#: The routing algorithm of a network.
ROUTING = {
    "routing": choice(
        "Routing of the network. minimal: shortest paths (DSN only); detour: around failed links (DSN only); bubble: one class "
        "(torus only). By tables: indirect, over a random switch; ugal, straight or over a random one, by the load of outputs.",
        (*ROUTINGS, *TWO_STAGE),
    ),
    "adaptive": flag(
        "A choice between two hops. Of minimal routing, or of tables: a packet that waits takes a second shortest path, or "
        "another channel of its class, if that is free. Packets of a flow may overtake each other.",
        False,
    ),
    "digits": flag(
        "Choose signs of shortcuts. With adaptive: the source of a packet also chooses the signs of its shortest shortcuts, by "
        "the load of its outputs. For sizes that are powers of two.",
        False,
    ),
    "classes": integer(
        "Channel classes of routing detour or of tables. Of every port between switches; of tables, turn classes. By default as "
        "many as every single failed link needs, or shortest paths take.",
        1,
        16,
        note="as many as needed",
    ),
}


#: What docs/network.md (Buffers) recommends for a DSN under load, each for more load than the one before: by name, the options
#: that it stands for. An option that is given as well counts.
PRESETS = {
    "two-channels": {"channels": "x=2,y=2", "age": 3},
    "four-channels": {"channels": "x=4,y=4", "age": 3},
    "pools": {"packet": 4, "depth": 4, "channels": "x=4,y=4,local=2", "pool": "x=32,y=32,local=16", "age": 3},
}


def with_preset(values):
    """``values`` with the options of the preset that they name, if they do."""
    preset = CORE["preset"].checked("preset", values.get("preset"))
    given = {key: value for key, value in values.items() if key != "preset" and value is not None}
    return PRESETS.get(preset, {}) | given


@dataclass(frozen=True)
class TableOptions(Options):
    """The table of each input port of a core that routes by tables."""

    kind: str = choice("Kind of table.", ("ternary", "direct"))
    keys: str = choice("Keys of a ternary table.", KEYS, needs={"kind": ("ternary",)})
    entries: int = integer("Entries of a ternary table.", 1, 1024, 16, needs={"kind": ("ternary",)})
    stages: int = integer("Register stages of a ternary table.", 0, 2, 0, needs={"kind": ("ternary",)})
    memory: str = choice(
        "Memory of a direct table. ram: a lookup takes a cycle; flip-flops: none, for tables of up to 1,024 words.",
        ("ram", "flip-flops"),
        suffix="_flip_flops",
        needs={"kind": ("direct",)},
    )


@dataclass(frozen=True, kw_only=True)
class CoreOptions(Options):
    """Options of a switch core that its gateware has as they are."""

    hosts: int | None = integer("Hosts of a switch.", 1, 64, note="the topology's, or 1")
    flit: int = integer("Bits of a flit.", 16, 512, 256)
    packet: int = integer("Flits of the longest packet.", 1, 255, 33)
    depth: int | None = integer("Flits of a channel's buffer.", 2, 4096, note="two packets")
    virtual_networks: int = integer(
        "Virtual networks. Each has its own channels of every class, credits and buffers, so that packets of one never"
        " wait for those of another.",
        1,
        8,
        1,
        suffix="_vn{}",
    )
    free_weights: bool = flag(
        "Weights and priorities as inputs. Those of each output; a switch with registers has registers for them. The options"
        " weights and priorities are their values after a reset; without weights these are 1.",
        False,
        suffix="_free",
        needs={"virtual_networks": True},
    )
    age: int = integer(
        "Bits of an age in the header; 0: none. By it, outputs prefer packets that have waited longer.", 0, 4, 0, suffix="_age{}"
    )
    lookup: str = choice(
        "How a packet finds its output. forwarding: the algorithm, with a table to fall back on.",
        ("algorithm", "table", "forwarding"),
    )
    register: bool = flag(
        "Register after the route logic. It takes a cycle more.", False, suffix="_registered", needs={"lookup": ("algorithm",)}
    )
    candidates: int = integer(
        "Indirect routes to choose from. A source compares the outputs of as many with that of the straight route.",
        1,
        8,
        2,
        suffix="_of{}",
        needs={"routing": (UGAL,)},
    )
    penalty: int = integer(
        "Factor of the load of an indirect route. It has about twice the hops of a straight one.",
        1,
        8,
        2,
        suffix="_by{}",
        needs={"routing": (UGAL,)},
    )
    threshold: int = integer(
        "Least load, percent of a buffer. With less load at the straight output, packets go straight.",
        0,
        100,
        0,
        suffix="_from{}",
        needs={"routing": (UGAL,)},
    )
    layers: int = integer(
        "Classes of a port with tables. With lookup by table.", 1, 8, 1, suffix="_l{}", needs={"lookup": ("table",)}
    )


#: Options of a core that its gateware has in another form: texts of users, and what follows from several of them.
_OTHER = {
    "preset": choice(
        "Options for a DSN under load. "
        + "; ".join(f"{name}: {' '.join(f'{key} {value}' for key, value in found.items())}" for name, found in PRESETS.items())
        + ".",
        PRESETS,
        optional=True,
    ),
    "node": text("Specialised core of this node, with the ports that have a link.", note="universal"),
    "channels": text(
        "Channels per class, such as 2 or x=4. 1, 2, 4 or 8 for every port, or by kind of port, such as x=4,y=4,host=4; 4/1"
        " is 4 in virtual network 0 and 1 in the other.",
        default="1",
        or_integer=True,
    ),
    "pool": text(
        "Flits that channels share, x=48. Those of a port, besides depth flits of each: one number for every port, "
        "but not for those of hosts in a switch, or by kind of port, such as x=48,y=48,local=24. Virtual networks divide them"
        " evenly; 32/16 are the shares of two.",
        note="none",
    ),
    "weights": text(
        "Weights of virtual networks, as 3/1. An output shares its flits by them. Without, each has a packet in turn.",
        note="equal",
        needs={"virtual_networks": True},
    ),
    "priorities": text(
        "Levels of virtual networks, as 0/1. An output sends flits of a higher level first.",
        note="equal",
        needs={"virtual_networks": True},
    ),
    "speculate": choice(
        "Offer flits before they are corrected. Ports to other switches do so, a cycle earlier. on needs a light link.",
        ("off", "on"),
        optional=True,
        note="on for a switch with light links",
        suffix="_speculate",
    ),
}

_OF_CORE = CoreOptions.OPTIONS | _OTHER

#: Every option of a switch core besides those of its network, in the order of its name.
CORE = {
    **{key: _OF_CORE[key] for key in ("preset", "node", "hosts", "flit", "packet", "depth", "channels", "pool", "age", "lookup")},
    **ROUTING,
    "max_p": MAX_P,
    **_OF_CORE,
    **{
        key: replace(one, needs={"lookup": ("table", "forwarding")} | (one.needs or {}))
        for key, one in TableOptions.OPTIONS.items()
    },
}

#: The links of a switch: fabric ports and their lines.
LINK = {
    "link": choice(
        "Code of the line. light: SECDED, least latency; strict: Reed-Solomon, for more wrong bits; selected: either, at run "
        "time.",
        ("light", "strict", "selected"),
        suffix="_{}",
    ),
    "settle": integer(
        "Number of blocks that the receiver ignores after a slip, because they were already on their way.",
        0,
        1023,
        0,
        suffix="_settle{}",
    ),
    "retry": flag("Retransmit flits that were lost or corrupted on the line.", False),
    "detect": flag(
        "With retry on a light link: retransmit every block with a wrong bit, and correct none.",
        False,
        suffix="_detect",
        needs={"link": ("light",), "retry": True},
    ),
    "round_trip": integer(
        "With retry: cycles from a block to the answer to it.",
        8,
        316,
        note="64 (light), 244 (strict), 248 (selected)",
        suffix="_retry{}",
        needs={"retry": True},
    ),
}

#: The port of a fabric-port block.
PORT = {"port": text("Port of the core, such as x_forward.", note="the first"), **LINK}

#: The switch around core and links.
SWITCH = {
    **LINK,
    "host_interface": choice(
        "How hosts are attached. flit: flits and credits of the core; stream: packets on streams; axi: packets on AXI4-Stream.",
        ("flit", "stream", "axi"),
        suffix="_{}",
    ),
    "end_to_end": choice(
        "Check of packets from host to host: a CRC in the last flit, or none.",
        ("crc32c", "none"),
        optional=True,
        note="crc32c, or none with flits of fewer than 32 bits, or with packets of one flit that have no space for it",
    ),
    "tkeep": flag(
        "AXI4-Stream with TKEEP: the last flit of a packet has a count of its bytes, and any number of them may count.",
        False,
        suffix="_tkeep",
        needs={"host_interface": ("axi",)},
    ),
    "apb": flag("Status and control by registers over APB, not by ports.", True, suffix="_no_apb"),
    "delays": flag(
        "Registers with delays of packets. Each port counts in eight ranges how long packets wait in its input buffers.",
        False,
        suffix="_delays",
        needs={"apb": True},
    ),
}


def loads_of(spelt):
    """The loads of a text: one, several with commas, or a range ``FIRST:LAST:STEP``.

    Raises :class:`ValueError` if it is none of these, or a load is not above 0 and at most 1.
    """
    try:
        if ":" in spelt:
            first, last, step = map(float, spelt.split(":"))
            if not step > 0 or not 0 <= last - first <= step * MOST_LOADS:
                raise ValueError
            found = [round(first + step * index, 9) for index in range(int((last - first) / step + 1e-9) + 1)]
        else:
            found = [float(word) for word in spelt.split(",")]
        if not all(0 < load <= 1 for load in found):
            raise ValueError
    except ValueError:
        form = "a number, several with commas, or FIRST:LAST:STEP"
        raise ValueError(f"must be above 0 and at most 1: {form}, not {shortened(spelt, 40)!r}") from None
    return tuple(found)


#: The word for the routing of compiled tables.
TURNS = "turns"

#: Maximum number of loads of one simulation.
MOST_LOADS = 100

_BY_TABLE = {"lookup": ("table", "forwarding")}
_OF_CORES = {"block": ("switch-core",)}


@dataclass(frozen=True, kw_only=True)
class Traffic(Options):
    """What the hosts of a simulation send."""

    pattern: str = text("Destinations of packets; help lists them. simulate.md describes the patterns.", "uniform")
    load: tuple = number(
        "Flits per host and cycle, as 0.05:0.4:0.05. Or 0.1, or 0.1,0.2; repeatable.",
        0,
        1,
        (),
        "0.1",
        open=True,
        unit="LOADS",
        many=True,
        parse=loads_of,
    )
    burst: str | None = text("Mean cycles of a burst and the silence.", note="no bursts", unit="ON:OFF")
    lengths: str | None = text("Mixed packet lengths.", note="all of --packet flits", unit="FLITS:SHARE")
    ordered: float = number(
        "Share of the flows marked to stay in order. The order is checked. With a choice of hops, or routes in two stages.",
        0,
        1,
        0.0,
        unit="SHARE",
    )
    seed: int = integer("Seed of random traffic.", 0, (1 << 63) - 1, 1)
    shares: str | None = text(
        "Shares of virtual networks, such as 95:5. Those of the packets in each.", note="equal", unit="SHARES"
    )
    outstanding: int | None = integer(
        "Hosts answer, and await as many replies. Packets are requests in virtual network 0; their replies are in 1, or in 0 if"
        " there is one. A host with as many requests without a reply offers none.",
        1,
        4096,
        note="none",
        unit="REQUESTS",
    )
    reply_queue: int = integer(
        "Replies that a host holds. While it owes or holds as many, it takes no request.", 1, 4096, 4, needs={"outstanding": True}
    )
    reply_delay: int = integer(
        "Cycles from a request to its reply.", 0, 1_000_000, 20, unit="CYCLES", needs={"outstanding": True}
    )
    blocked: tuple = text(
        "Host that takes no packet, 5 or 5:1; repeatable. 5:1 takes none of virtual network 1.", (), unit="HOST", many=True
    )


@dataclass(frozen=True, kw_only=True)
class Links(Options):
    """The cables of a simulated network, what fails on them, and the tables that lead around failures."""

    link_delay: str = text(
        "Cycles of a cable, or its length as 5m. Or a CSV file with from,port,delay of each cable; or graph, the latencies"
        " in the file of a graph.",
        "0",
        unit="DELAY",
        or_integer=True,
    )
    ns_per_metre: float = number("Delay of a cable.", 0.1, 100, 5.0, unit="NS")
    clock: float = number("Clock, for lengths of cables.", 0.001, 100, 1.0, unit="GHZ")
    fail: tuple = text(
        "Failed link or switch, or 5%; repeatable. ADDRESS:ADDRESS, ADDRESS:PORT, ADDRESS, 5% or 5%:SEED, from the"
        " start, or from a cycle on until it returns. Needs a core with --routing detour, or tables.",
        (),
        unit="LINK[@CYCLE[-CYCLE]]",
        many=True,
        needs=_OF_CORES,
    )
    tables: str | None = text(
        f"Tables: {TURNS}, or a JSON file of dsnswitch table.",
        note=f"{TURNS}: compiled, in turn classes",
        unit=f"{TURNS}|FILE",
        needs=_BY_TABLE,
    )
    reroute: int | None = integer(
        "Cycles from a change to new tables. A change: a link fails or returns.",
        1,
        1_000_000_000,
        note="never",
        unit="CYCLES",
        needs=_BY_TABLE,
    )
    bit_errors: float = number(
        "Probability of an error. Uncorrectable, per bit of a flit on a link between switches.",
        0,
        0.1,
        0.0,
        unit="RATE",
        needs=_OF_CORES,
    )


@dataclass(frozen=True, kw_only=True)
class Measurement(Options):
    """How long a simulation measures."""

    warm_up: int | None = integer("Most cycles of the warm-up.", 100, 1 << 31, note="20 windows", step=100, unit="CYCLES")
    cycles: int = integer("Cycles of the measurement.", 1000, 10_000_000, 10_000, step=1000, unit="CYCLES")
    limit: float = number("Mean latency that means saturation.", 1, 1_000_000, 400, unit="CYCLES")


@dataclass(frozen=True, kw_only=True)
class Refinement(Options):
    """How a sweep refines a range of loads around saturation."""

    points: int = integer("Loads of a range before the refinement.", 2, 100, 8)
    precision: float = number("Half of the interval at which the refinement ends.", 0.0005, 0.5, 0.005)
    over: bool = flag("Of a range: also measure the accepted load if sources always have a packet.", True)


#: Defaults of the core in simulations: timing does not depend on the width of a flit, and tables have as many entries as needed.
SIMULATED = {"flit": 64, "packet": 4}

#: The options of a simulation by group: those of the core without a node.
SIMULATION = {
    "Network": NETWORK | ROUTING | {"max_p": MAX_P},
    "Core": {
        "block": choice("Cores alone, or whole switches in small networks.", ("switch-core", "switch")),
        "link": replace(LINK["link"], words=("light", "strict"), needs={"block": ("switch",)}),
        **{
            key: replace(one, default=SIMULATED.get(key, one.default))
            for key, one in CORE.items()
            if key not in ROUTING and key not in ("node", "max_p")
        },
        "entries": replace(CORE["entries"], default=None, note="all needed"),
    },
    "Traffic": Traffic.OPTIONS,
    "Links": Links.OPTIONS,
    "Measurement": Measurement.OPTIONS,
}
