"""The switch of one configuration: core and fabric ports."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, counters, ports
from dsnswitch.gen.blocks.core import SwitchCoreBlock
from dsnswitch.gen.blocks.links import line_codes
from dsnswitch.gen.blocks.port import FabricPortBlock, line_roles, link_of
from dsnswitch.hdl.port.shape import FabricShape
from dsnswitch.net.files.options import SWITCH
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.options import refuse_unneeded

#: How hosts are attached, and what the manifest calls the link of such a port.
LINKS = {"flit": "flits", "stream": "stream", "axi": "axi"}


@dataclass(frozen=True)
class SwitchBlock(Block):
    """Switch: a switch core with a fabric port on each port to another switch."""

    core: SwitchCoreBlock
    settle: int
    host_interface: str
    apb: bool
    round_trip: int
    link_kind: str
    detect: bool
    checked: bool
    tkeep: bool
    delays: bool

    block = "switch"
    gateware = "hdl.switch.switch:Switch"
    OPTIONS: ClassVar = SwitchCoreBlock.OPTIONS | SWITCH

    @classmethod
    def resolve(cls, values):
        from dsnswitch.hdl.switch.byte_count import ByteCountFormat
        from dsnswitch.hdl.switch.end_to_end import CheckFormat
        from dsnswitch.hdl.switch.host_port import check_host_interface
        from dsnswitch.hdl.switch.notifier import NoticeFormat

        with refusing():
            refuse_unneeded(SWITCH, values)
        link = link_of(cls, values)
        speculate = {"speculate": cls.optional(values, "speculate") or ("on" if link[1] == "light" else "off")}
        core = SwitchCoreBlock.resolve(
            {key: value for key, value in values.items() if key in SwitchCoreBlock.OPTIONS} | speculate, hosts_have_pools=False
        )
        lines = [port for port in core.shape.ports if not port.is_host]
        if not lines:
            raise UsageError(f"A switch needs a port to another switch; {core.shape.network.spelling} has one switch")
        host_interface = cls.value(values, "host_interface")
        with refusing():
            check_host_interface(core.shape, host_interface)
            if core.shape.has_detours:
                NoticeFormat(core.shape).check()
            for port in lines:
                FabricShape(core.shape, port, *link)
            end_to_end = cls.optional(values, "end_to_end")
            if end_to_end == "crc32c":
                CheckFormat(core.shape).check()
        checked = CheckFormat(core.shape).fits if end_to_end is None else end_to_end == "crc32c"
        settle, apb, tkeep, delays = (cls.value(values, name) for name in ("settle", "apb", "tkeep", "delays"))
        if tkeep:
            with refusing():
                ByteCountFormat(core.shape, checked).check()
        return cls(core, settle, host_interface, apb, *link, checked, tkeep, delays)

    @property
    def suffix(self) -> str:
        host = "".join(SWITCH[key].ending(getattr(self, key)) for key in ("host_interface", "tkeep", "apb", "delays"))
        late = "_late" if self.link_kind == "light" and not self.core.shape.speculative else ""
        return f"{self.core.sizes}{self._link.link_suffix}{late}{host}{self._unchecked}"

    @property
    def _unchecked(self):
        """End of the name if the end-to-end check is off although packets have space for it."""
        from dsnswitch.hdl.switch.end_to_end import CheckFormat

        return "_unchecked" if CheckFormat(self.core.shape).fits and not self.checked else ""

    @property
    def _link(self):
        """The first of the fabric ports."""
        shape = self.core.shape
        port = next(port for port in shape.ports if not port.is_host)
        link = FabricShape(shape, port, self.round_trip, self.link_kind, self.detect)
        return FabricPortBlock(self.core, link, self.settle)

    @property
    def about(self) -> tuple[str, str]:
        lines = sum(not port.is_host for port in self.core.shape.ports)
        counts = {"fabric": lines, "host": self.core.shape.host_ports}
        listed = " and ".join(f"{count} {kind} port{'s' * (count != 1)}" for kind, count in counts.items())
        return f"switch with {listed}.", self.core.about[1]

    @property
    def parameters(self) -> dict[str, Any]:
        check = "crc32c" if self.checked else "none"
        own = {**self._link.link, "host_interface": self.host_interface, "end_to_end": check}
        own |= {"tkeep": self.tkeep, "apb": self.apb} | ({"delays": True} if self.delays else {})
        own["speculate"] = "on" if self.core.shape.speculative else "off"
        return {**self.core.parameters, **own}

    @property
    def arguments(self) -> dict[str, Any]:
        own = {"settle": self.settle, "host_interface": self.host_interface, "round_trip": self.round_trip}
        own |= {"registers": ("delays",) * self.delays if self.apb else None, "link": self.link_kind, "detect": self.detect}
        own |= {"checked": self.checked, "tkeep": self.tkeep}
        return {"shape": self.core.shape, **own}

    @property
    def roles(self) -> dict[str, dict]:
        lines = tuple(f"{port.name}_" for port in self.core.shape.ports if not port.is_host)
        names = [port.name for port in self.core.shape.ports if port.is_host]
        hosts, several = {"bits": names}, self.host_interface != "flit" and self.core.shape.virtual_networks > 1
        spaces = [f"{name}_{way}_space" for name in names for way in ("rx", "tx")] if several else []
        found = {name: role for name, role in self.core.roles.items() if not name.startswith(lines)}
        for line in lines:
            found |= line_roles(line)
        return {
            **found,
            **ports("virtual-network-space", *spaces, encoding="flags"),
            **counters("notice_counts"),
            **ports("host-patience", "patience", encoding="unsigned"),
            **ports("untaken-packet", "untaken", encoding="flags", **hosts),
            **ports("bad-check", "bad_check", encoding="flags", **hosts),
        }

    @property
    def facts(self) -> dict[str, Any]:
        from dsnswitch.hdl.core.core import state_of

        shape = self.core.shape
        return {
            **self.core.facts,
            "state": [state_of(shape, port, "core.") for port in shape.ports],
            "switch_ports": [self._port(port) for port in shape.ports],
            **({"notice": self._notice()} if shape.has_detours else {}),
            **({"end_to_end": self._end_to_end()} if self.checked else {}),
            **({"byte_count": self._byte_count()} if self.tkeep else {}),
            **line_codes(self.link_kind, "line_code"),
            "fabric": self._fabric(),
        }

    def _port(self, port):
        """A port of the switch with the latency of its link."""
        from dsnswitch.hdl.switch.switch import port_latency

        rx, tx = port_latency(self.core.shape, port, self.host_interface, self.link_kind)
        about = {"link": LINKS[self.host_interface]} if port.is_host else {"link": "fabric", "code": self.link_kind}
        return {"name": port.name, **about, "rx_latency_cycles": rx, "tx_latency_cycles": tx}

    def _notice(self):
        """Fields of the content of a notice, by their bits in its flit."""
        from dsnswitch.gen.fields import fields
        from dsnswitch.hdl.core.packet import Header
        from dsnswitch.hdl.switch.notifier import NoticeFormat

        shape = self.core.shape
        first = Header(shape).width
        found = fields(NoticeFormat(shape).layout)
        return [{**field, "bits": [first + bit for bit in field["bits"]]} for field in found]

    def _end_to_end(self):
        """Where the end-to-end check is, and what it covers."""
        from dsnswitch.hdl.fec.crc32c import BITS
        from dsnswitch.hdl.switch.end_to_end import CheckFormat

        form = CheckFormat(self.core.shape)
        last, single = ([low, low + BITS - 1] if low is not None else None for low in (form.last, form.single))
        return {
            "check": "crc32c",
            "last_flit": last,
            "only_flit": single,
            "head_bits": form.head,
            "not_covered": list(form.uncovered),
        }

    def _byte_count(self):
        """Where the last flit of a packet has the number of its bytes, which stands for TKEEP."""
        from dsnswitch.hdl.switch.byte_count import BITS, ByteCountFormat

        form = ByteCountFormat(self.core.shape, self.checked)
        last, single = ([low, low + BITS - 1] for low in (form.last, form.single))
        return {"last_flit": last, "only_flit": single}

    def _fabric(self):
        """What the manifest says of fabric ports, as far as all ports of the switch have it in common."""
        entry = self._link.facts["fabric"]
        return {key: value for key, value in entry.items() if key not in ("channels", "virtual_networks")}
