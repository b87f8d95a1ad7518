"""Forwarding tables of an InfiniBand fabric, as ``dump_lfts``, ``ibroute`` and OpenSM print them and OpenSM loads them."""

import re

from dsnswitch.net.files.formats import infiniband, infiniband_tools
from dsnswitch.net.files.formats.content import wrong
from dsnswitch.net.messages import UsageError, note

#: Greatest LID of a port.
_MOST_LID = 0xBFFF

_TABLE = re.compile(r"Unicast lids \[.*?\] of switch .*?guid 0x([0-9a-fA-F]{1,16})\b.*")
_ENTRY = re.compile(r"0x([0-9a-fA-F]{1,4})\s+([0-9]{1,3})\b(.*)")
_REST = re.compile(r"Lid\s+Out\s+Destination.*|Port\s+Info.*|[0-9]+ (?:valid )?lids dumped.*|#.*|\*\*\* WARNING \*\*\*.*")
#: What follows an entry that leads nowhere (``dump_lfts -a``), or is of a LID that no port has any more.
_UNUSED = re.compile(r"illegal port|node info not available|unknown node")

#: Port of a switch for its own LIDs.
OWN = 0


def is_dump(text):
    """Whether a text is a dump of forwarding tables."""
    return re.search(r"^Unicast lids \[", text, re.M)


def refuse_others(path, text):
    """Raise :class:`UsageError` if a text is what a tool of InfiniBand prints, but not a dump of forwarding tables."""
    tool = infiniband_tools.tool_of(text) or ("ibnetdiscover" if infiniband.recognise(text) else None)
    if tool:
        raise infiniband_tools.refused(path, tool, "tables are in that of dump_lfts or ibroute, and in opensm-lfts.dump")


def read_dump(name, text, ids):
    """``{switch: {LID: port number}}`` of a dump. ``ids`` are those of the fabric."""
    by_guid, by_lid = {one.guid: label for label, one in ids.items()}, owners(ids)
    found, table, notes = {}, None, []
    for number, line in infiniband_tools.lines(name, text, notes):
        if not line or _REST.fullmatch(line):
            continue
        if head := _TABLE.fullmatch(line):
            switch = by_guid.get(int(head[1], 16))
            if switch is None:
                raise wrong(name, number, "a table must be of a switch of the fabric, by its GUID", f"0x{head[1]}")
            if switch in found:
                raise wrong(name, number, f"a switch must have one table, not {switch} two")
            table = found[switch] = {}
            continue
        entry = _ENTRY.fullmatch(line)
        if not entry or table is None:
            expected = "an entry such as 0x0001 001 : ..." if table is not None else "Unicast lids [...] of switch ... guid 0x..."
            raise wrong(name, number, f"expected {expected}", line)
        if _UNUSED.search(entry[3]):
            continue
        lid = int(entry[1], 16)
        if lid not in by_lid:
            raise wrong(name, number, "a LID must be one of the fabric", f"0x{entry[1]}")
        if lid in table:
            raise wrong(name, number, f"a LID must have one port, not 0x{entry[1]} two")
        table[lid] = int(entry[2])
    for line in notes:
        note(f"{name}: {line}")
    return found


def owners(ids):
    """``{LID: name of the switch or host}``, all LIDs of each. Raises :class:`UsageError` if two have the same one."""
    found = {}
    for label, one in ids.items():
        for lid in one.lids:
            if lid in found:
                raise UsageError(f"A LID must be that of one port, not {lid} of {found[lid]} and {label} (LMC {one.lmc})")
            found[lid] = label
    return found


def write_dump(ids, tables, switches):
    """The tables ``{switch: {LID: port number}}`` in the form that OpenSM loads (``--lfts_file``).

    ``ids`` are those of the fabric; the names in ``switches`` are of switches.
    """
    by_lid, rows = owners(ids), []
    for label, one in ids.items():
        if not 0 < one.lid <= one.lids[-1] <= _MOST_LID:
            raise UsageError(f"A dump of tables needs a LID in 1..{_MOST_LID} of each port, not {one.lid} of {label}")
    for switch, ports in tables.items():
        own = ids[switch]
        rows.append(
            f"Unicast lids [0x0-0x{max(ports, default=0):x}] of switch Lid {own.lid} "
            f"guid 0x{own.guid:016x} ({infiniband_tools.plain(own.text)}):"
        )
        rows += ["  Lid  Out   Destination", "       Port     Info"]
        for lid, port in sorted(ports.items()):
            end = ids[by_lid[lid]]
            kind = "Switch" if by_lid[lid] in switches else "Channel Adapter"
            rows.append(f"0x{lid:04x} {port:03} : ({kind} portguid 0x{end.port_guid:016x}: '{infiniband_tools.plain(end.text)}')")
        rows.append(f"{len(ports)} valid lids dumped")
    return "\n".join(rows) + "\n"
