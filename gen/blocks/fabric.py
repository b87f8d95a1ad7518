"""One end of the fabric link of a switch core's port."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.fabric import DIFFERENCES, FabricPort, FabricShape, State
from ...hdl.fabric.line_format import DETAILS_CODE, LINK_CODE, hello_layout, link_word_layout
from ...hdl.link import CODE
from ...hdl.switch import Header
from ..errors import UsageError
from ..fields import fields
from .block import Block
from .flags import flags
from .pcs import SETTLE
from .secded import code_entry
from .switch import SwitchCoreBlock

__all__ = ["FabricPortBlock"]


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
        "settle": SETTLE,
    }

    @classmethod
    def resolve(cls, values):
        core = SwitchCoreBlock.resolve({key: value for key, value in values.items() if key not in ("port", "settle")})
        ports = {port.name: port for port in core.shape.ports}
        name = values.get("port", next(iter(ports)))
        if name not in ports:
            raise UsageError(f"port must be one of {', '.join(ports)}, not {name!r}")
        try:
            shape = FabricShape(core.shape, ports[name])
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(core, shape, cls.number(values, "settle", 0))

    @property
    def name(self):
        settle = f"_settle{self.settle}" if self.settle else ""
        return f"fabric_port_{self.shape.port.name}_{self.core.name.removeprefix('switch_core_')}{settle}"

    @property
    def description(self):
        shape = self.shape
        return (
            f"{self.name}: fabric link of port {shape.port.name} of a switch core.",
            f"Flits of {shape.core.flit} bits on {shape.channels} virtual channels; SECDED(270,260) around 256b/260b.",
        )

    @property
    def parameters(self):
        return {**self.core.parameters, "port": self.shape.port.name, "settle": self.settle}

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
                "header_code": code_entry(header.code),
                "link_code": code_entry(LINK_CODE),
                "details_code": code_entry(DETAILS_CODE),
            },
        }
