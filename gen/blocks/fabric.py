"""One end of the fabric link of a switch core's port."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.fabric import DIFFERENCES, FabricPort, FabricShape, State
from ...hdl.fabric.line_format import DETAILS_CODE, LINK_CODE, answer_layout, hello_layout, link_word_layout
from ...hdl.fabric.shape import ROUND_TRIPS
from ...hdl.link import CODE
from ...hdl.switch import Header
from ..errors import UsageError
from ..fields import fields
from .block import Block
from .flags import flags
from .pcs import SETTLE
from .secded import code_entry
from .switch import SwitchCoreBlock

__all__ = ["LINK", "FabricPortBlock", "round_trip_of"]

#: Cycles of a round trip, if retransmission is chosen and no other number is given.
ROUND_TRIP = 64

#: Parameters of the links of a switch.
LINK = {
    "settle": SETTLE,
    "retry": {
        "type": "boolean",
        "description": "Send flits again that wrong bits have broken, so that none is lost. Default false.",
    },
    "round_trip": {
        "type": "integer",
        "minimum": ROUND_TRIPS[0],
        "maximum": ROUND_TRIPS[-1],
        "description": f"With retry: cycles from a block to the answer to it. Default {ROUND_TRIP}.",
    },
}


def round_trip_of(block, values):
    """Cycles of the round trip that ``values`` of ``block`` state, 0 without retransmission."""
    if values.get("retry"):
        return block.number(values, "round_trip", ROUND_TRIP)
    if values.get("round_trip") is not None:
        raise UsageError(f"round_trip needs retry (= {values['round_trip']})")
    return 0


@dataclass(frozen=True)
class FabricPortBlock(Block):
    """Fabric link: joins a port of a switch core to a line with error correction and credits."""

    core: SwitchCoreBlock
    shape: FabricShape
    settle: int

    block = "fabric-port"
    PROPERTIES: ClassVar = {
        **SwitchCoreBlock.PROPERTIES,
        "port": {"type": "string", "description": "Port of the core, such as x_forward. Default the first."},
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
            shape = FabricShape(core.shape, ports[name], round_trip_of(cls, values))
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(core, shape, cls.number(values, "settle", 0))

    @property
    def name(self):
        return f"fabric_port_{self.shape.port.name}_{self.core.name.removeprefix('switch_core_')}{self.suffix}"

    @property
    def suffix(self):
        """End of the name: what differs from the defaults of a link."""
        trip = self.shape.round_trip
        return (f"_settle{self.settle}" if self.settle else "") + (f"_retry{trip}" if trip else "")

    @property
    def description(self):
        shape = self.shape
        return (
            f"{self.name}: fabric link of port {shape.port.name} of a switch core.",
            f"Flits of {shape.core.flit} bits on {shape.channels} virtual channels; SECDED(270,260) around 256b/260b.",
        )

    @property
    def parameters(self):
        return {**self.core.parameters, "port": self.shape.port.name, **self.link}

    @property
    def link(self):
        """Parameters of the link."""
        trip = self.shape.round_trip
        return {"settle": self.settle, "retry": bool(trip), "round_trip": trip or None}

    def component(self):
        return FabricPort(self.shape, self.settle)

    def interface(self):
        shape = self.shape
        end = {"role": "link-end", "static": True}
        roles = {
            **flags("stall", "core_stall"),
            **{f"{side}_{name}": end for side in ("own", "peer") for name in ("address", "port")},
            **flags("status", "locked", "slip"),
            **flags("clear", "clear"),
            "status": {"role": "status", "static": False},
        }
        header = Header(shape.core)
        return roles, {
            "code": code_entry(CODE),
            "header": fields(header.layout),
            "fabric": {
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
