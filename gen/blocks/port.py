"""Fabric port: one end of a link between two switch cores."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, flags, ports
from dsnswitch.gen.blocks.core import SwitchCoreBlock
from dsnswitch.gen.blocks.links import line_codes
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.port.shape import KINDS, FabricShape
from dsnswitch.net.files.options import LINK, PORT
from dsnswitch.net.messages import UsageError, nearest, refusing, shortened
from dsnswitch.net.options import refuse_unneeded


def line_roles(prefix: str = "") -> dict[str, dict]:
    """Roles of the ports of a line whose names begin with ``prefix``, those of a selected link included."""
    return {
        **ports("link-end", f"{prefix}peer_address", f"{prefix}peer_port", static=True),
        **flags("status", f"{prefix}locked", f"{prefix}slip", f"{prefix}is_strict"),
        **flags("enable", f"{prefix}strict"),
        **ports("status", f"{prefix}status"),
    }


def link_of(block, values) -> Any:
    """Arguments of :class:`FabricShape` that ``values`` of ``block`` state: cycles of a round trip, link, detect."""
    link, detect = block.value(values, "link"), block.value(values, "detect")
    with refusing():
        refuse_unneeded(LINK, values)
    trip = block.optional(values, "round_trip") or KINDS[link].round_trip
    return trip if block.value(values, "retry") else 0, link, detect


@dataclass(frozen=True)
class FabricPortBlock(Block):
    """Fabric port: connects a switch core to a line, with error correction and credits."""

    core: SwitchCoreBlock
    shape: FabricShape
    settle: int

    block = "fabric-port"
    gateware = "hdl.port.port:FabricPort"
    OPTIONS: ClassVar = {**SwitchCoreBlock.OPTIONS, **PORT}

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        own = {key: value for key, value in values.items() if key not in PORT}
        core = SwitchCoreBlock.resolve(own, hosts_have_pools=False)
        known = {port.name: port for port in core.shape.ports}
        name = values.get("port", next(iter(known)))
        if name not in known:
            more = "the manifest of block switch-core lists all"
            raise UsageError(f"This switch has no port {shortened(name, 40)!r}{nearest(name, known, more)}")
        link = link_of(cls, values)
        with refusing():
            shape = FabricShape(core.shape, known[name], *link)
        return cls(core, shape, cls.value(values, "settle"))

    @property
    def suffix(self) -> str:
        return f"_{self.shape.port.name}{self.core.suffix}{self.link_suffix}"

    @property
    def link_suffix(self) -> str:
        """End of the name: what differs from the defaults of a link."""
        trip, link = self.shape.round_trip, self.shape.link
        values = {"link": link, "settle": self.settle, "round_trip": trip or None, "detect": self.shape.detect}
        return "".join(LINK[key].ending(value) for key, value in values.items())

    @property
    def about(self) -> tuple[str, ...]:
        shape = self.shape
        codes = {"light": "SECDED(270,260) around 256b/260b", "strict": "RS(528,514) around 256b/257b"}
        coded = codes.get(shape.link, " or ".join(codes.values()))
        return (
            f"fabric port for port {shape.port.name} of a switch core.",
            f"Flits of {shape.core.flit} bits on {shape.channels} virtual channels; {coded}.",
        )

    @property
    def parameters(self) -> dict[str, Any]:
        return {**self.core.parameters, "port": self.shape.port.name, **self.link}

    @property
    def link(self) -> dict[str, Any]:
        """Parameters of the link."""
        shape, trip = self.shape, self.shape.round_trip
        retry = {"retry": bool(trip), "detect": shape.detect, "round_trip": trip or None}
        return {"link": shape.link, "settle": self.settle, **retry}

    @property
    def arguments(self) -> dict[str, Any]:
        return {"shape": self.shape, "settle": self.settle}

    @property
    def roles(self) -> dict[str, dict]:
        own = ports("link-end", "own_address", "own_port", static=True)
        confirmed = flags("confirmation", "core_confirmed") if self.shape.speculates else {}
        return line_roles() | own | flags("stall", "core_stall") | flags("clear", "clear") | confirmed

    @property
    def _networks(self) -> dict[str, list]:
        """Channels and depth of each of several virtual networks."""
        networks = self.shape.networks
        listed = [{"channels": channels, "depth": depth} for channels, depth in networks]
        return {"virtual_networks": listed} if len(networks) > 1 else {}

    @property
    def facts(self) -> dict[str, Any]:
        from dsnswitch.gen.fields import fields
        from dsnswitch.hdl.core.packet import Header
        from dsnswitch.hdl.line.line_format import DETAILS_CODE, LINK_CODE, answer_layout, hello_layout, link_word_layout
        from dsnswitch.hdl.port.session import State, differences
        from dsnswitch.hdl.port.shape import HEAD_BITS

        shape, header = self.shape, Header(self.shape.core)
        return {
            **line_codes(shape.link),
            "header": fields(header.layout),
            "fabric": {
                "link": shape.link,
                "head_bits": HEAD_BITS,
                "tx_latency_cycles": shape.kind.tx_latency,
                "rx_latency_cycles": shape.rx_latency,
                "latency_spread_cycles": shape.kind.spread,
                "wait_blocks": shape.kind.wait,
                "full_rate_depth": shape.full_rate_depth,
                "channels": shape.channels,
                **self._networks,
                "count_width": shape.count_width,
                "states": [state.name.lower() for state in State],
                "differences": list(differences(len(shape.networks))),
                "link_word": fields(link_word_layout()),
                "hello": fields(hello_layout(len(shape.networks) > 1)),
                "answer": fields(answer_layout()),
                "replay": shape.replay,
                "header_code": code_entry(header.code),
                "link_code": code_entry(LINK_CODE),
                "details_code": code_entry(DETAILS_CODE),
            },
        }
