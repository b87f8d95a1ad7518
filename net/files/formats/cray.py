"""The interconnect of a Cray with Gemini or Aries routers, as ``rtr --interconnect`` prints it: a line for each tile."""

import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, lines, wrong

#: Component name of a tile (cabinet, chassis, slot, router, tile) with its coordinates.
_TILE = r"(c[0-9]{1,4}-[0-9]{1,4}c[0-9]{1,2}s[0-9]{1,2}[ag][0-9])l([0-9]{2})(?:\[?\([0-9]+[,:][0-9]+[,:][0-9]+\)\]?)?"
_LINE = re.compile(rf"{_TILE}\s+(\S+)\s+->\s+(?:{_TILE}|(unused|processor|host))(?:\s+LinkType:\s*(\w+))?", re.A)


def recognise(head: str) -> Any:
    """Whether the first statement is about a tile."""
    first = next(lines(head), (0, ""))[1]
    return _LINE.fullmatch(first)


def read(name, text):
    """The :class:`Content` of the text. Switches are the routers, such as ``c0-0c0s0a0``, their ports numbered by tile.

    A tile that is ``unused``, or that leads to a processor, has no link. Tiles that lead to each other are one link. Hosts are
    not listed.
    """
    links, numbers, ends = [], [], {}
    for number, line in lines(text):
        match = _LINE.fullmatch(line)
        if not match:
            raise wrong(name, number, "expected a tile such as 'c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l10(0:0:1)'", line)
        here, there = (match[1], int(match[2])), (match[4], match[5] and int(match[5]))
        if here in ends:
            raise wrong(name, number, f"tile {here[0]}l{here[1]:02} is listed twice")
        ends[here] = there, number
        if match[6] is None and ends.get(there, (None,))[0] != here:
            if there in ends:
                raise wrong(name, number, f"tile {there[0]}l{there[1]:02} leads elsewhere in line {ends[there][1]}")
            append(links, (here[0], there[0]), name, number)
            numbers.append((here[1], there[1]))
    for here, (there, number) in ends.items():
        if there[0] and there in ends and ends[there][0] != here:
            raise wrong(name, number, f"tile {there[0]}l{there[1]:02} leads elsewhere in line {ends[there][1]}")
    return Content(links, nodes=dict.fromkeys(router for router, _ in ends), numbers=numbers)
