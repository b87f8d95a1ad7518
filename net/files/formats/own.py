"""Formats of dsnswitch: the JSON object of a topology, and the CSV list of its cables."""

import csv
import io
import json
import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, wrong
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import parse_json

_FORMAT = "dsnswitch-topology"

#: First columns of a list of cables. Others may follow.
COLUMNS = ("from", "port", "to", "to_port")


def recognise(head: str) -> Any:
    """Whether a file is the JSON of a topology."""
    return head.lstrip()[:1] == "{" and f'"format": "{_FORMAT}"' in head


def read(name, text):
    """The :class:`Content` of the JSON of a topology. Switches are their numbers, after ``switch`` if hosts have names."""
    found = parse_json(name, "Graph", text)
    nodes, hosts, links = (found.get(key, []) if isinstance(found, dict) else None for key in ("nodes", "hosts", "links"))
    if not all(isinstance(part, list) and all(isinstance(one, dict) for one in part) for part in (nodes, hosts, links)):
        raise UsageError(f"{name}: nodes, hosts and links of a topology must be lists of objects")
    spelt, prefix = {}, "switch " if hosts else ""
    for place, node in enumerate(nodes):
        spelt[_integer(name, "nodes", place, node, "number", len(nodes))] = f"{prefix}{place}"
    made = []
    for place, host in enumerate(hosts):
        if not isinstance(host.get("name"), str):
            raise UsageError(f"{name}: hosts[{place}] must have a text as name")
        made.append((host["name"], f"{prefix}{_integer(name, 'hosts', place, host, 'node', len(nodes))}"))
    for place, link in enumerate(links):
        ends = [_integer(name, "links", place, link, end, len(nodes)) for end in ("source", "target")]
        append(made, tuple(f"{prefix}{end}" for end in ends), name, 1)
    if len(spelt) < len(nodes):
        raise UsageError(f"{name}: two nodes have the same number")
    names = [host["name"] for host in hosts]
    return Content(made, names, [*names, *spelt.values()])


def _integer(name, part, place, values, key, size):
    found = values.get(key)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < size:
        raise UsageError(f"{name}: {key} of {part}[{place}] must be in 0..{size - 1}, not {str(found)[:40]!r}")
    return found


def object_text(head, lists):
    """A JSON object with the entries of ``head`` and the ``lists``, one entry or element per line."""
    rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, values in lists.items():
        body = ",\n".join(f"    {json.dumps(row)}" for row in values)
        rows.append(f'  "{key}": [\n{body}\n  ]' if body else f'  "{key}": []')
    return "{\n" + ",\n".join(rows) + "\n}\n"


def write(network, nodes, hosts, links) -> str:
    """The object of ``net/files/topology.schema.json``."""
    head = {"format": _FORMAT, "version": 1, **network.shape}
    named_hosts = [{"number": number, "name": name, "node": home} for number, (name, home) in enumerate(hosts)]
    lists = {
        "nodes": ({"number": number, "address": list(at)} for number, at in enumerate(nodes)),
        **({"hosts": named_hosts} if hosts else {}),
        "links": (dict(zip(("source", "target", "kind", "level", "length"), link)) for link in links),
    }
    return object_text(head, lists)


def recognise_cables(head):
    """Whether the first line has the columns of a list of cables."""
    return re.match(rf"\A{','.join(COLUMNS)}(?:[,\r\n]|\Z)", head)


def read_cables(name: str, text: str) -> Any:
    """The :class:`Content` of a list of cables. An end without a port is a host."""
    links, hosts = [], {}
    if not recognise_cables(text[: sum(map(len, COLUMNS)) + len(COLUMNS) + 1]):
        raise wrong(name, 1, f"the first columns of cables must be {','.join(COLUMNS)}", text.partition("\n")[0])
    try:
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise UsageError(f"{name} is not CSV: {error}") from None
    seen = {}
    for number, row in enumerate(rows, 2):
        ends = [(row["from"], row["port"]), (row["to"], row["to_port"])]
        for end, port in ends:
            if not end or port is None:
                raise wrong(name, number, f"a cable must have {', '.join(COLUMNS)}")
            if not port:
                hosts[end] = None
            elif seen.setdefault((end, port), number) != number:
                raise wrong(name, number, f"port {port} of {end} has a cable already, in line {seen[end, port]}")
        append(links, tuple(end for end, _ in ends), name, number)
    return Content(links, list(hosts))


def write_cables(network, nodes, hosts, links) -> str:
    """A line for each cable: switch and port at both ends, and the kind of the link; a host has no port."""
    out, names = io.StringIO(), [port.name for port in network.ports]
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*COLUMNS, "kind"])
    spelt = [network.spell_switch(at) for at in nodes]
    for host, home in hosts:
        table.writerow([host, "", spelt[home], names[network.hosts[host][1]], "host"])
    for link in links:
        table.writerow([spelt[link.source], names[link.port], spelt[link.target], names[link.target_port], link.kind])
    return out.getvalue()
