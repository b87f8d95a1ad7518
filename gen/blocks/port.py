"""Fabric port: one end of a link between two switch cores."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, flags
from dsnswitch.gen.blocks.core import SwitchCoreBlock
from dsnswitch.gen.blocks.pcs import SETTLE
from dsnswitch.gen.blocks.reed_solomon import rs_code_entry
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.line.rates import BEATS, CODE
from dsnswitch.hdl.port.shape import KINDS, FabricShape
from dsnswitch.net.messages import UsageError
from dsnswitch.net.properties import choice, flag, integer, text

__all__ = ["LINE_ROLES", "LINK", "FabricPortBlock", "line_codes", "link_of"]

#: Parameters of the links of a switch.
LINK = {
    "link": choice(
        "Code of the line. light: SECDED, least latency; strict: Reed-Solomon, for more wrong bits; selected: either, at run "
        "time.",
        KINDS,
    ),
    "settle": SETTLE,
    "retry": flag("Retransmit flits that were lost or corrupted on the line.", False),
    "round_trip": integer(
        "With retry: cycles from a block to the answer to it. "
        f"Default {', '.join(f'{kind.round_trip} ({name})' for name, kind in KINDS.items())}.",
        min(kind.round_trips[0] for kind in KINDS.values()),
        max(kind.round_trips[-1] for kind in KINDS.values()),
    ),
}

#: Roles of the ports that a selected link has in addition.
LINE_ROLES = {**flags("enable", "strict"), **flags("status", "is_strict")}


def link_of(block, values):
    """``(kind of link, cycles of a round trip)`` that ``values`` of ``block`` state; 0 cycles without retransmission."""
    link = block.value(values, "link")
    if block.value(values, "retry"):
        return link, block.optional(values, "round_trip") or KINDS[link].round_trip
    if values.get("round_trip") is not None:
        raise UsageError(f"round_trip needs retry (= {values['round_trip']})")
    return link, 0


def line_codes(link, name="code"):
    """Entries of a manifest for the codes of a line."""
    light, strict = code_entry(CODE), rs_code_entry(BEATS)
    return {"light": {name: light}, "strict": {name: strict}, "selected": {name: strict, f"light_{name}": light}}[link]


@dataclass(frozen=True)
class FabricPortBlock(Block):
    """Fabric port: connects a switch core to a line, with error correction and credits."""

    core: SwitchCoreBlock
    shape: FabricShape
    settle: int

    block = "fabric-port"
    PROPERTIES: ClassVar = {
        **SwitchCoreBlock.PROPERTIES,
        "port": text("Port of the core, such as x_forward. Default the first."),
        **LINK,
    }

    @classmethod
    def resolve(cls, values):
        core = SwitchCoreBlock.resolve({key: value for key, value in values.items() if key not in ("port", *LINK)})
        ports = {port.name: port for port in core.shape.ports}
        name = values.get("port", next(iter(ports)))
        if name not in ports:
            raise UsageError(f"port must be one of {', '.join(ports)}, not {name!r}")
        try:
            link, round_trip = link_of(cls, values)
            shape = FabricShape(core.shape, ports[name], round_trip, link)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(core, shape, cls.value(values, "settle"))

    @property
    def name(self):
        return f"fabric_port_{self.shape.port.name}_{self.core.name.removeprefix('switch_core_')}{self.suffix}"

    @property
    def suffix(self):
        """End of the name: what differs from the defaults of a link."""
        trip, link = self.shape.round_trip, self.shape.link
        kind = f"_{link}" if link != self.default("link") else ""
        return kind + (f"_settle{self.settle}" if self.settle else "") + (f"_retry{trip}" if trip else "")

    @property
    def description(self):
        shape = self.shape
        codes = {"light": "SECDED(270,260) around 256b/260b", "strict": "RS(528,514) around 256b/257b"}
        coded = codes.get(shape.link, " or ".join(codes.values()))
        return (
            f"{self.name}: fabric port for port {shape.port.name} of a switch core.",
            f"Flits of {shape.core.flit} bits on {shape.channels} virtual channels; {coded}.",
        )

    @property
    def parameters(self):
        return {**self.core.parameters, "port": self.shape.port.name, **self.link}

    @property
    def link(self):
        """Parameters of the link."""
        trip = self.shape.round_trip
        return {"link": self.shape.link, "settle": self.settle, "retry": bool(trip), "round_trip": trip or None}

    def component(self):
        from dsnswitch.hdl.port.port import FabricPort

        return FabricPort(self.shape, self.settle)

    def interface(self):
        from dsnswitch.gen.fields import fields
        from dsnswitch.hdl.core.packet import Header
        from dsnswitch.hdl.line.line_format import (
            DETAILS_CODE,
            LINK_CODE,
            answer_layout,
            hello_layout,
            link_word_layout,
        )
        from dsnswitch.hdl.port.session import DIFFERENCES, State

        shape = self.shape
        end = {"role": "link-end", "static": True}
        roles = {
            **flags("stall", "core_stall"),
            **{f"{side}_{name}": end for side in ("own", "peer") for name in ("address", "port")},
            **flags("status", "locked", "slip"),
            **flags("clear", "clear"),
            "status": {"role": "status", "static": False},
            **(LINE_ROLES if shape.link == "selected" else {}),
        }
        header = Header(shape.core)
        return roles, {
            **line_codes(shape.link),
            "header": fields(header.layout),
            "fabric": {
                "link": shape.link,
                "tx_latency_cycles": shape.kind.tx_latency,
                "rx_latency_cycles": shape.kind.rx_latency,
                "latency_spread_cycles": shape.kind.spread,
                "wait_blocks": shape.kind.wait,
                "full_rate_depth": shape.full_rate_depth,
                "channels": shape.channels,
                "count_width": shape.count_width,
                "states": [state.name.lower() for state in State],
                "differences": list(DIFFERENCES),
                "link_word": fields(link_word_layout()),
                "hello": fields(hello_layout()),
                "answer": fields(answer_layout()),
                "replay": shape.replay,
                "header_code": code_entry(header.code),
                "link_code": code_entry(LINK_CODE),
                "details_code": code_entry(DETAILS_CODE),
            },
        }
