"""BookSim2's anynet (``network_file``): routers, nodes, and the latencies of channels."""

import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, lines, unnamed_hosts, wrong

#: One end of a link with its latency, and a line.
_END = re.compile(r"(router|node) ([0-9]{1,9})(?: ([0-9]{1,9}))?")
_LINE = re.compile(r"(router|node) [0-9]{1,9}( (router|node) [0-9]{1,9}( [0-9]{1,9})?)+")


def recognise(head: str) -> Any:
    """Whether the first statement is one of anynet."""
    return re.match(r"\A(?:\s|\#[^\n]*)*+(?:router|node)[ \t]+[0-9]", head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of anynet: lines ``router R (router S [cycles] | node N [cycles])*`` or ``node N router R [cycles]``.

    A link that is listed at both ends is one link, as in BookSim2; its latency is that of the first line. A link that is listed n
    times at one end is n parallel links. A latency that is not stated is 1 cycle.
    """
    links, cycles, hosts, stated = [], [], {}, False
    for number, line in lines(text):
        clean = " ".join(line.split())
        if not _LINE.fullmatch(clean):
            raise wrong(name, number, "must be 'router R router S node N ...'", clean)
        (kind, head, _), *others = _END.findall(clean)
        for other, tail, latency in others:
            if kind == other == "node":
                raise wrong(name, number, f"a node must be linked to a router, not to node {tail}")
            ends = [(kind, head), (other, tail)]
            append(links, tuple(f"{'router ' if k == 'router' else ''}{int(v)}" for k, v in ends), name, number)
            cycles.append(int(latency or 1))
            stated = stated or bool(latency)
            hosts |= {str(int(v)): None for k, v in ends if k == "node"}
    return Content(links, list(hosts), directed=True, cycles=cycles if stated else None)


def write(network, nodes, hosts, links) -> str:
    """One router for each switch, with its hosts as nodes (terminals).

    Without named hosts, every switch that has hosts has as many as the topology states, or one. A link is listed at one end only,
    its source: BookSim2 adds the other direction itself. Its latency is stated if it is not one cycle. Parallel links are all
    listed at the same end, because BookSim2 takes a link that is listed at both ends as one link. BookSim2 keeps one link between
    two routers, so it merges parallel links. The format has no comments.
    """
    rows = [[f"router {number}"] for number in range(network.nodes)]
    homes = [home for _, home in hosts] or [network.number(switch) for _, switch in unnamed_hosts(network)]
    for number, home in enumerate(homes):
        rows[home].append(f"node {number}")
    listed = {}
    for source, target, *_, cycles in links:
        end = listed.setdefault(frozenset((source, target)), source)
        latency = "" if cycles in (None, 1) else f" {cycles}"
        rows[end].append(f"router {target if end == source else source}{latency}")
    return "".join(" ".join(row) + "\n" for row in rows if len(row) > 1)
