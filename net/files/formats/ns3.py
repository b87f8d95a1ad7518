"""The ``topology.txt`` of ns-3 with RDMA (HPCC and its successors), also with the servers of SimAI."""

import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, split_hosts, whole, wrong

_N = "[0-9]{1,7}"

#: First line: nodes, switches, links. Or, of SimAI: nodes, GPUs per server, NVSwitches, switches, links, kind of GPU.
_HPCC = re.compile(rf"({_N})\s+({_N})\s+({_N})")
_SIMAI = re.compile(rf"({_N})\s+{_N}\s+({_N})\s+({_N})\s+({_N})\s+[A-Za-z]\w*(?:\s+{_N})?", re.A)

#: A link: source, target, rate, delay, error rate.
_LINK = re.compile(rf"({_N})\s+({_N})\s+[0-9.]+[A-Za-z/]+\s+[0-9.]+[A-Za-z]+\s+[0-9.eE+-]+", re.A)


def recognise(head: str) -> Any:
    """Whether the first line has numbers of nodes, switches and links, and a later one is a link with its rate."""
    rows = [line.strip() for line in whole(head).splitlines()]
    return _sizes(next(filter(None, rows), "")) and any(map(_LINK.fullmatch, rows))


def _sizes(line):
    """Numbers of nodes, NVSwitches, other switches and links in the first line; None if it has another form."""
    if found := _SIMAI.fullmatch(line):
        return tuple(map(int, found.groups()))
    found = _HPCC.fullmatch(line)
    return found and (int(found[1]), 0, int(found[2]), int(found[3]))


def read(name, text):
    """The :class:`Content` of a topology. Names are the numbers of the nodes. Nodes that are no switches are hosts.

    A host with several links is a host for each of them, with ``/P`` and its number. Rates, delays and error rates are ignored,
    and so is all that follows the stated number of links, as in ns-3. NVSwitches, which join the GPUs of a server, are left out
    if there are other switches.
    """
    rows = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    number, line = rows[0] if rows else (1, "")
    if not (sizes := _sizes(line)):
        raise wrong(name, number, "expected the numbers of nodes, switches and links", line)
    nodes, inside, others, count = sizes
    rows = iter(rows[1:])
    switches = []
    while len(switches) < inside + others:
        number, line = next(rows, (number, ""))
        words = line.split()
        if not words or len(words) > inside + others - len(switches):
            raise wrong(name, number, f"expected the numbers of {inside + others} switches", line)
        switches += [_node(name, number, word, nodes) for word in words]
    left_out = set(switches[:inside]) if others else set()
    links = []
    for place in range(count):
        number, line = next(rows, (number, ""))
        if not (found := _LINK.fullmatch(line)):
            expected = f"expected {count} links such as '0 8 100Gbps 1us 0', and this is number {place + 1}"
            raise wrong(name, number, expected, line)
        link = tuple(_node(name, number, word, nodes) for word in found.groups())
        if not left_out.intersection(link):
            append(links, link, name, number)
    more = sum(1 for _, line in rows if _LINK.fullmatch(line))
    every = [str(node) for node in range(nodes) if str(node) not in left_out]
    links, hosts = split_hosts(links, [node for node in every if node not in {*switches}], lambda _, __, at: f"P{at}")
    alone = [node for node in every if node in {*switches}] + hosts
    notes = [f"{len(left_out)} NVSwitches, which are inside servers, are left out"] if left_out else []
    if more:
        notes.append(f"{more} links after the {count} that the first line states are left out, as in ns-3")
    return Content(links, hosts, alone, notes=notes)


def _node(name, line, word, nodes):
    if not word.isdecimal() or len(word) > 7 or int(word) >= nodes:
        raise wrong(name, line, f"a node must be in 0..{nodes - 1}", word)
    return str(int(word))
