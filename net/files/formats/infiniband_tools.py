"""What the tools of InfiniBand print besides a subnet or tables: messages within a file, and outputs that are not read."""

import re

from dsnswitch.net.files.formats.content import wrong
from dsnswitch.net.messages import UsageError, shortened

#: A line of standard error: warnings, queries that failed, and the progress of ``ibnetdiscover -s``.
_MESSAGE = re.compile(
    r"ibwarn: \[[0-9]+\] |^[\w./-]+\.c:[0-9]+; |SubnGet\(\w+\) failed on switch "
    r"|DR path slid [0-9]+; dlid [0-9]+; [0-9,]+ -> "
)
#: A line of standard error after which a tool ends.
_FAILURE = re.compile(r"ibpanic: \[[0-9]+\] |^[\w./-]+: iberror: ")

#: Outputs that have not all of a fabric or not all of its tables, by the tools that print them.
_OTHERS = {
    "ibnetdiscover -l, ibnodes, ibhosts or ibswitches": r"^(?:Switch|Ca|Router|Rt)\s+: 0x",
    "ibnetdiscover -p": r"^(?:SW|CA|RT)\s+[0-9]+\s+[0-9]+ 0x[0-9a-f]{16} ",
    "iblinkinfo": r"[0-9]\[[ 0-9]*\] ==\([^)]*\)==>",
    "ibtracert": r"^From (?:ca|switch|router) \{0x",
    "dump_lfts or ibroute": r"^Unicast lids \[",
    "dump_mfts": r"^Multicast mlids \[",
    "OpenSM or ibdiagnet, opensm-subnet.lst": r"^\{ (?:SW|CA|Rt)(?:-SM)? Ports:",
    "OpenSM or ibdiagnet, opensm.fdbs": r"^(?:osm_ucast_mgr_)?dump_ucast_routes: Switch 0x",
    "OpenSM, opensm-lid-matrix.dump": r"^Switch: guid 0x",
}
_ANY = re.compile("|".join(f"(?P<t{place}>{pattern})" for place, pattern in enumerate(_OTHERS.values())), re.M)


def tool_of(text):
    """The tool that printed a text, if it is neither a subnet nor tables that are read; else None."""
    found = _ANY.search(text)
    return found and [*_OTHERS][int(found.lastgroup[1:])]


def has_messages(text: str) -> bool:
    """Whether a line is a message of a tool."""
    return any(map(_MESSAGE.match, text.splitlines()))


def refused(name, tool, wanted) -> UsageError:
    """The error that a file is the output of a tool, and not of one that is ``wanted``."""
    return UsageError(f"{name}: this is the output of {tool}; {wanted}")


def lines(name, text, notes):
    """Number and text of each line, without messages of the tool that wrote the file; ``notes`` gets a line about them.

    A message may stand within a line, because standard output is written in blocks.
    """
    rest, count, first = "", 0, None
    for number, raw in enumerate(text.splitlines(), 1):
        if failure := _FAILURE.search(raw):
            raise wrong(name, number, "the tool that wrote the file failed", raw[failure.start() :])
        if message := _MESSAGE.search(raw):
            rest, count = rest + raw[: message.start()], count + 1
            first = first or (number, raw[message.start() :])
            continue
        yield number, (rest + raw).strip()
        rest = ""
    if count:
        lines = "a message" if count == 1 else f"{count} messages"
        notes.append(f"{lines} of the tool left out, line {first[0]}: {shortened(first[1].strip(), 100)}")


def plain(text: str) -> str:
    """A description without the character that would end it in a file."""
    return text.replace('"', "'")
