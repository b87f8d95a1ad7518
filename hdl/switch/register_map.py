"""The registers of a switch, described in plain Python. No Amaranth here."""

from dsnswitch.hdl.core.shape import LEVEL, WEIGHT
from dsnswitch.hdl.port.session import State, differences
from dsnswitch.hdl.port.shape import SEVERAL, VERSION
from dsnswitch.hdl.registers.description import WORD, Field, Group, Register, RegisterMap
from dsnswitch.hdl.switch.host_patience import PATIENCE
from dsnswitch.hdl.switch.notifier import NOTICE_COUNTERS

#: Number of this register map, which software reads to know what it talks to.
IDENTITY, MAP_VERSION = 0x4453, 3

#: Counters that each port has, from the flits that pass between the port and the core.
SHARED_COUNTERS = {
    "flits_in": "Flits from the link into the core.",
    "flits_out": "Flits from the core to the link.",
    "packets_in": "Heads from the link into the core, also of packets that the core drops.",
    "packets_out": "Heads from the core to the link.",
    "bad_in": "Tails from the link that mark their packet as bad.",
    "bad_out": "Tails from the core that mark their packet as bad.",
    "bad_header": "Packets dropped: check bits of the header are wrong, or its length is 0 or over the limit.",
    "invalid": "Packets dropped: the destination does not exist.",
    "no_route": "Packets dropped: no port leads to the destination.",
    "expired": "Packets dropped: the hop count has its greatest value.",
    "u_turn": "Packets dropped: they would leave by the port on which they came.",
    "bad_length": "Packets marked bad: their length is not what the header states.",
    "stray": "Flits dropped that belong to no packet.",
}

#: What the counters of a fabric port count. A counter that has no text here is described by its name.
LINK_COUNTERS = {
    "corrected": "Codewords with a corrected bit.",
    "uncorrectable": "Codewords that could not be corrected.",
    "bad_packets": "Packets that the link has ended as bad.",
    "lost_packets": "Packets that did not arrive.",
    "refused_packets": "Packets of the core that the link has dropped, or that a reset of the other end may have lost.",
    "dropped_flits": "Flits that the link has dropped.",
    "resumed": "Blocks that flits of several packets in turn have cost.",
    "retransmitted": "Blocks that were sent again.",
    "lost_credits": "Times that the core has lost credits of its buffers; the link has started again.",
    "gave_up": "Times that retransmission has given up.",
    "restarts": "Starts of the link after the first.",
}

#: Counters of a host port.
HOST_COUNTERS = {
    "untaken_packets": "Packets dropped: the host has taken nothing for as many cycles as `patience` states.",
    "bad_check": "Packets to the host whose end-to-end check is wrong, and that no switch has marked as bad before.",
}

#: What the counters of notices count; a switch with detours has them.
NOTICE_TEXTS = {
    "notices": "Packets that could not be delivered; each was consumed, and a notice was written to its source.",
    "unreported_packets": "Packets that could not be delivered and that host 0 received, because no notice had space.",
    "lost_notices": "Notices that could not be delivered; they were consumed.",
}

#: Bounds of the delays, in cycles, that ports count in ranges.
DELAYS = tuple(8 << number for number in range(7))

STATES = {
    State.UNLOCKED: "No lock, or the port is down.",
    State.HELLO: "The other end's parameters have not arrived.",
    State.MISMATCH: "The other end's parameters differ; the bits differs_... say which.",
    State.WAIT: "The parameters agree; an end still empties its buffers.",
    State.UP: "Flits flow both ways.",
    State.FAILED: "Retransmission has given up, and the link has not come up again.",
}

#: First word of the counters that each port has.
_COUNTERS_AT = 8


def fabric_ports(shape):
    """The ports of a switch that have a link."""
    return [port for port in shape.ports if not port.is_host]


def depths_of(shape, port):
    """Most flits in the buffer of each input channel of a port."""
    return [shape.most(port, port.virtual_network_of(v)) for v in range(port.channels)]


def address_words(shape):
    """Words that the address of a switch takes."""
    return max(1, -(-sum(field.width for field in shape.network.fields) // WORD))


def register_map(shape, link_counters, inputs, link="light", more=()):
    """The map of a switch of ``shape``: slot 0 is the switch, the others are the ports in their order.

    Parameters
    ----------
    shape : CoreShape
    link_counters : dict
        ``{name: width}`` of the counters of a fabric port.
    inputs : dict
        ``{name: width}`` of the inputs of the core's tables (write port, ``mode``, ``loaded``, ``dead``), which registers drive.
    link : str
        Kind of the fabric links.
    more : sequence of str
        Names of registers that are there only if they are asked for: ``delays``.
    """
    groups = port_groups(shape, link_counters, link, more)
    ports = [(port.name, group) for port, group in zip(shape.ports, groups)]
    stride = RegisterMap("ports", "", tuple(ports)).stride
    return RegisterMap(
        "dsnswitch",
        "Registers of a switch of the Distributed Shortcut Network.",
        (("device", _device(shape, inputs, stride)), *ports),
    )


def _device(shape, inputs, stride):
    """The registers of the switch as a whole."""
    constant = {"access": "constant"}
    number = len(fabric_ports(shape))
    registers = [
        Register(
            "identity",
            "Identification of the device.",
            (
                Field("map_version", "Version of this register map.", 8, 0, **constant, reset=MAP_VERSION),
                Field(
                    "line_version",
                    "Version of the line format.",
                    8,
                    8,
                    **constant,
                    reset=VERSION | SEVERAL * (shape.virtual_networks > 1),
                ),
                Field("device_id", "A constant that identifies a switch.", 16, 16, **constant, reset=IDENTITY),
            ),
        ),
        Register(
            "ports",
            "Number of ports; port n has the registers from n + 1 slots on, fabric ports first.",
            (
                Field("fabric", "Ports to other switches.", 8, 0, **constant, reset=number),
                Field("host", "Ports to hosts.", 8, 8, **constant, reset=shape.host_ports),
                Field("slot_bits", "A slot has 2 to this power bytes.", 8, 16, **constant, reset=stride.bit_length() - 1),
            ),
        ),
        Register(
            "sizes",
            "Parameters of the core.",
            (
                Field("flit", "Bits of a flit.", 10, 0, **constant, reset=shape.flit),
                Field("packet", "Flits of the longest packet.", 8, 16, **constant, reset=shape.packet),
                Field("channels", "Input channels of all ports.", 8, 24, **constant, reset=len(shape.sources)),
            ),
        ),
        Register(
            "depth",
            "Buffer of an input channel.",
            (Field("flits", "Flits that it holds.", 13, 0, **constant, reset=shape.depth),),
        ),
        _words("own_address", "Address of this switch.", "The address, the lowest bits in word 0.", address_words(shape)),
        _control(inputs),
        _words("links_up", "Links that are up.", "Bit n of word w: the link of port 32 w + n.", -(-number // WORD)),
        *[_counter(name, NOTICE_TEXTS[name]) for name in NOTICE_COUNTERS if shape.has_detours],
        *_table(inputs),
    ]
    return Group("switch_device", "The switch as a whole.", _placed(registers))


def _words(name, description, of_field, count):
    """An array of words that the hardware drives."""
    return Register(name, description, (Field("bits", of_field, WORD, reset=None),), count)


def _placed(registers, first=0):
    """``(word, register)`` of registers that follow each other."""
    places = []
    for register in registers:
        places.append((first, register))
        first += register.words
    return tuple(places)


def _control(inputs):
    """What software asks of the switch."""
    fields = [Field("clear", "Write 1: all counters and greatest fills begin anew.", access="pulse")]
    texts = {
        "mode": ("table_mode", "Every packet follows the tables."),
        "loaded": ("table_loaded", "The tables are written; until then every lookup misses."),
    }
    for bit, (name, (field, text)) in enumerate(texts.items(), 1):
        if name in inputs:
            fields.append(Field(field, text, 1, bit, "rw"))
    return Register("control", "Control of the switch.", tuple(fields))


def _table(inputs):
    """The write port of the tables: the fields of a write, and the register that performs it."""
    if "write" not in inputs:
        return []
    registers = []
    for name, width in inputs.items():
        if name.startswith("write_") or name == "up":
            part = name.removeprefix("write_")
            words = -(-width // WORD)
            field = Field("bits", f"Input {name} of the tables.", min(width, WORD), access="rw")
            text = f"Next write to the tables of all ports: {part}."
            text = "Ports to switches of higher rank, which give packets their turn classes." if name == "up" else text
            registers.append(Register(f"table_{part}", text, (field,), words if words > 1 else None))
    field = Field("write", "Write 1: the tables of all ports take the entry in the table_... registers.", access="pulse")
    return [*registers, Register("table_write", "Writes to the tables.", (field,))]


def port_groups(shape, link_counters, link="light", more=()):
    """The :class:`Group` of each port of the switch. Ports with equal channels and classes have equal groups."""
    most = [max(getattr(port, name) for port in shape.ports) for name in ("classes", "channels")]
    counted = {name: LINK_COUNTERS.get(name, f"{name.replace('_', ' ').capitalize()}.") for name in link_counters}
    return [_port(shape, port, counted, *most, link, more) for port in shape.ports]


def _port(shape, port, link_counters, most_classes, most_channels, link, more):
    networks = shape.virtual_networks
    places = [*_placed([_patience()] if port.is_host else _link(link == "selected", networks))]
    places += _placed([_counter(name, text) for name, text in SHARED_COUNTERS.items()], _COUNTERS_AT)
    first = _COUNTERS_AT + len(SHARED_COUNTERS)
    stalls = "Cycles in which a packet waits for credits of a channel of this class."
    fill = Field("flits", "The most flits since the last clear.", max(depths_of(shape, port)).bit_length())
    places += [
        (first, Register("credit_stalls", stalls, _count(), port.classes)),
        (first + most_classes, Register("greatest_fill", "Fill of the buffer of each input channel.", (fill,), port.channels)),
    ]
    counters = HOST_COUNTERS if port.is_host else link_counters
    registers = [_counter(name, text) for name, text in counters.items()]
    registers += _telemetry(shape, port) if networks > 1 else []
    registers += _service(shape) if shape.free_weights else []
    registers += [_delays()] if "delays" in more else []
    places += _placed(registers, first + most_classes + most_channels)
    kind = "host" if port.is_host else "fabric"
    about = "A port to a host." if port.is_host else "A port to another switch."
    spreads = "".join(f"_{spread}" for spread in port.spreads) if networks > 1 else f"_{port.channels}"
    return Group(f"{kind}_port_{port.classes}{spreads}", about, tuple(places))


def _telemetry(shape, port):
    """The registers of each virtual network at a port."""
    width = max(shape.most(port, n) * share.channels for n, share in enumerate(port.shares)).bit_length()
    since = "since it was read last; a read begins it anew."
    fills = (
        Field("now", "Flits that the buffers hold now.", min(width, 16)),
        Field("greatest", f"The most flits {since}", min(width, 16), 16, "rc", reset=None),
    )
    waits = (
        Field("last", "Cycles of the last wait, or of this one.", 16),
        Field("greatest", f"Cycles of the longest wait {since}", 16, 16, "rc", reset=None),
    )
    count = shape.virtual_networks
    return [
        Register("network_fill", "Input buffers of all channels of each virtual network.", fills, count),
        Register("network_blocked", "Cycles in which a packet waits for credits of a virtual network.", _count(), count),
        Register("network_wait", "Such cycles in turn, up to 65,535.", waits, count),
    ]


def _service(shape):
    """The registers with which an output chooses among virtual networks."""
    weights, levels = shape.weights or (1,) * shape.virtual_networks, shape.priorities or (0,) * shape.virtual_networks
    of_weight = "Share of the flits of its level; 0 counts as 1."
    return [
        Register(
            f"service_{number}",
            f"Service of virtual network {number} at the output.",
            (
                Field("weight", of_weight, WEIGHT, 0, "rw", weight),
                Field("priority", "Flits of a higher level are sent first.", LEVEL, 8, "rw", level),
            ),
        )
        for number, (weight, level) in enumerate(zip(weights, levels))
    ]


def _delays():
    """The histogram of delays at a port."""
    text = f"Heads that left the input buffer after less than {DELAYS[0]} cycles (0), to {DELAYS[-1]} or more ({len(DELAYS)})."
    return Register("delays", text, _count(), len(DELAYS) + 1)


def _patience():
    """The patience with a host."""
    text = "Cycles after which packets for a host that takes nothing are dropped; 0: never."
    return Register("patience", "Patience with the host.", (Field("cycles", text, PATIENCE, access="rw"),))


def _count():
    return (Field("count", "The count, which stays at its greatest value.", WORD),)


def _counter(name, text):
    return Register(name, text, _count())


def _link(selects, networks):
    """The registers of the link of a fabric port. ``selects``: its code is selected at run time."""
    several = networks > 1
    differing = Field(
        "networks", "Virtual networks of which the other end's channels or depth are not as expected.", networks, 24
    )
    described = Field("virtual_network", "The virtual network whose channels and depth these registers show.", 3, 10)
    greatest = Field("last_network", "Its greatest number of a virtual network.", 3, 13)
    strict = Field("strict", "Send the strict format, and search for it without lock.", 1, 1, "rw")
    is_strict = Field("is_strict", "The format that arrives is the strict one.", 1, 5)
    states = tuple((state.name.lower(), int(state), STATES[state]) for state in State)
    differs = [
        Field(f"differs_{name}", f"The other end's {name} is not as expected.", 1, 8 + bit)
        for bit, name in enumerate(differences(networks))
    ]
    return [
        Register(
            "link",
            "State of the link.",
            (
                Field("state", "What the link waits for.", 3, 0, values=states),
                Field("locked", "Block lock, or codeword lock.", 1, 4),
                *((is_strict,) if selects else ()),
                *differs,
                *((differing,) if several else ()),
            ),
        ),
        Register(
            "port_control",
            "Control of the port.",
            (Field("down", "The link is down, and tables do not use the port.", access="rw"), *((strict,) if selects else ())),
        ),
        Register(
            "link_events",
            "What has happened to the link.",
            (Field("went_down", "The link was up and went down; write 1 to clear.", access="w1c"),),
        ),
        Register(
            "peer",
            "Parameters of the other end.",
            (
                Field("version", "Version of its line format.", 8, 0),
                Field("port", "Number of its port.", 8, 8),
                Field("channels", "Its virtual channels.", 6, 16),
                Field("packet", "Flits of its longest packet.", 8, 24),
            ),
        ),
        Register(
            "peer_sizes",
            "More parameters of the other end.",
            (
                Field("flit", "Bits of its flits.", 10, 0),
                *((described, greatest) if several else ()),
                Field("depth", "Flits of its buffers.", 13, 16),
            ),
        ),
        Register(
            "peer_address", "Address of the other end.", (Field("bits", "The address, the lowest bits in word 0.", WORD),), 2
        ),
    ]
