"""Slurm's ``topology.conf`` of a tree: a line for each switch, with its nodes and the switches below it."""

import re
from itertools import product
from math import prod
from typing import Any

from dsnswitch.net.files.formats.content import MOST_LINKS, Content, append, lines, wrong
from dsnswitch.net.messages import UsageError

_RANGES = r"\[[0-9]{1,9}(?:-[0-9]{1,9})?(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*\]"

#: A name of Slurm's lists of hosts, such as ``n[0-3,8]``, and the comma after one.
_NAME, _COMMA = re.compile(rf"(?:[^\[\],=]|{_RANGES})+"), re.compile(r",(?![^\[]*\])")

#: Keys of a line.
_KEYS = {"switchname", "level", "switches", "nodes", "linkspeed"}


def recognise(head: str) -> Any:
    """Whether the first statement is one of Slurm's topology."""
    first = next(lines(head), (0, ""))[1]
    return re.match("(?:switch|block)name=", first, re.I)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of a tree. ``Nodes`` are hosts; a link between switches may be listed at both. The
    output of ``scontrol show topology``, which also has levels, is read as well.
    """
    links, switches, hosts, below = [], {}, {}, []
    for number, line in _statements(text):
        words = [word.partition("=") for word in line.split()]
        found = {key.lower(): value for key, _, value in words}
        if not {"switchname"} <= found.keys() <= _KEYS or len(found) < len(words) or not all(found.values()):
            raise wrong(name, number, "expected SwitchName=... with Nodes=... or Switches=...", line)
        switch = found["switchname"]
        if _names(name, number, switch) != [switch]:
            raise wrong(name, number, "a line must be of one switch", switch)
        if switches.setdefault(switch, number) != number:
            raise wrong(name, number, f"a switch must have one line, not {switch} again after line {switches[switch]}")
        nodes, others = (_names(name, number, found[key]) if key in found else [] for key in ("nodes", "switches"))
        # `scontrol show topology` repeats the nodes of lower levels.
        nodes = nodes if found.get("level", "0") == "0" else []
        if len({*nodes, *others}) < len(nodes) + len(others):
            raise wrong(name, number, "a line must list each end once", line)
        hosts |= dict.fromkeys(nodes, number)
        below += [(end, number) for end in others]
        for end in (*nodes, *others):
            append(links, (switch, end), name, number)
    for end, number in below:
        if end not in switches:
            raise wrong(name, number, f"switch {end} must have a line of its own")
    for host, number in hosts.items():
        if host in switches:
            raise wrong(name, number, f"{host} must be a switch or a node, not both")
    return Content(links, list(hosts), [*switches, *hosts], directed=True)


def _statements(text):
    """Number and text of each line; one that ends in a backslash continues in the next."""
    begun, kept = 0, ""
    for number, line in lines(text):
        begun, kept = begun or number, f"{kept} {line}"
        if not kept.endswith("\\"):
            yield begun, kept
            begun, kept = 0, ""
        else:
            kept = kept[:-1]
    if kept:
        yield begun, kept


def _names(name, line, text):
    """The names of a list such as ``tux[0-3,12],login``. Numbers keep their width."""
    found = []
    for part in _COMMA.split(text):
        if not _NAME.fullmatch(part):
            raise wrong(name, line, "expected names such as n[0-3,8]", part)
        pieces = [
            list(_numbers(name, line, piece[1:-1])) if piece[0] == "[" else [piece]
            for piece in re.findall(r"\[[^\]]*\]|[^\[]+", part)
        ]
        if prod(map(len, pieces)) + len(found) > MOST_LINKS:
            raise UsageError(f"{name}, line {line}: a list must have at most {MOST_LINKS} names; this has more")
        found += map("".join, product(*pieces))
    return found


def _numbers(name, line, text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not 0 <= int(last or first) - int(first) < MOST_LINKS:
            raise wrong(name, line, f"a range must rise, by less than {MOST_LINKS}", part)
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:0{len(first)}}"
