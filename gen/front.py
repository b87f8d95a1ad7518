"""The front door of the package in Python: a network by its name, and what the commands do with it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.topology.registry import parse_network

if TYPE_CHECKING:
    import networkx

    from dsnswitch.net.routing.relation import Hop
    from dsnswitch.sim.network.experiment.packets import Hosts

__all__ = ["Network"]


class Network:
    """A network by its name, as ``dsnswitch topologies`` lists them, such as ``grid:8x8:k4x2`` or ``graph:mine.graphml``.

    Options are those of the commands, with underscores: ``link_delay="5m"`` is ``--link-delay 5m``. A tuple is an address, a list
    gives an option several times, and True or False is an option without a value. A wrong value raises
    :class:`~dsnswitch.net.messages.UsageError`, with the message of the command. ``graph`` has switches, ports, hosts and
    neighbours.
    """

    def __init__(self, name: str):
        self.name = name
        with refusing():
            self.graph = parse_network(name)

    def __repr__(self) -> str:
        return f"dsnswitch.network({self.name!r})"

    @cached_property
    def switches(self) -> list[tuple[int, ...]]:
        """Addresses of all switches."""
        return list(self.graph.switches())

    def route(self, source: tuple[int, ...], target: tuple[int, ...], routing: str = "base") -> list[Hop]:
        """The path of a packet: hops with ``source``, ``port``, ``target`` and ``virtual_class``."""
        from dsnswitch.net.routing.registry import relation_of

        for switch in (source, target):
            if not self.graph.contains(switch):
                raise UsageError(f"Switch must be an address of {self.name}, not {switch!r}")
        with refusing():
            return relation_of(self.graph, routing).route(source, target)

    def table(self, **options: Any) -> dict[str, Any]:
        """Routing tables of all switches, as ``dsnswitch table`` writes them in JSON."""
        return self._json("table", options)

    def simulate(self, **options: Any) -> dict[str, Any]:
        """Latency and throughput of the emitted core under traffic, as ``dsnswitch simulate`` writes them in JSON."""
        return self._json("simulate", options)

    def verilog(self, folder: str | Path, block: str = "switch", **parameters: Any) -> dict[str, Path]:
        """Write a block as ``dsnswitch verilog`` does; returns the paths of its files by their kind, such as ``verilog``."""
        from dsnswitch.gen.blocks import BLOCKS, no_block
        from dsnswitch.gen.config import build
        from dsnswitch.gen.emit.folder import emit

        if block not in BLOCKS:
            raise UsageError(no_block(block))
        return emit(build({"block": block, "topology": self.name, **parameters}), folder)[1]

    def hosts(self, delay: int = 0, **parameters: Any) -> Hosts:
        """Hosts that send packets with a payload through the simulated network.

        ``delay`` has the cycles of a cable, and the parameters are those of the block ``switch-core``.
        """
        from dsnswitch.gen.cli.cores import core_manifest
        from dsnswitch.sim.network.experiment.packets import Hosts

        return Hosts(core_manifest({"topology": self.name, "flit": 64, "packet": 4, **parameters}), delay)

    def to_networkx(self) -> networkx.MultiGraph:
        """The graph: a node for each switch, by its address, and an edge for each link, with the port at each end."""
        from networkx import MultiGraph

        found, names = MultiGraph(name=self.name), [port.name for port in self.graph.ports]
        found.add_nodes_from(self.switches)
        found.add_edges_from(
            (one.source, one.target, {"ports": {one.source: names[one.port], one.target: names[one.target_port]}})
            for one in self.graph.links()
        )
        return found

    def _json(self, command: str, options: dict[str, Any]) -> dict[str, Any]:
        """What a command prints."""
        import click

        from dsnswitch.gen.cli import cli

        words = [command, "--topology", self.name, "--format", "json"]
        for key, value in options.items():
            name = key.replace("_", "-")
            for one in value if isinstance(value, list) else [value]:
                text = ",".join(map(str, one)) if isinstance(one, tuple) else str(one)
                words += [f"--{'no-' * (not one)}{name}"] if isinstance(one, bool) else [f"--{name}", text]
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                cli.main(words, "dsnswitch", standalone_mode=False)
        except click.ClickException as error:
            raise UsageError(error.format_message()) from None
        except SystemExit as end:
            raise RuntimeError(f"dsnswitch {command} ends with status {end.code}") from None
        return json.loads(printed.getvalue())
