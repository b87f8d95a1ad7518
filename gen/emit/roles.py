"""What the roles of ports mean: comments of the emitted Verilog and of the instantiation template."""

from itertools import groupby

__all__ = ["ROLES", "groups"]

#: A sentence for each role of the manifest; ``{}`` is the name of a stream.
ROLES = {
    "clock": "Clock, rising edge.",
    "reset": "Reset, synchronous, active high.",
    "own-address": "Address of this switch: static, valid and constant while packets flow.",
    "destination-address": "Destination of the packet.",
    "arrival-kind": "How the packet came: over a local link, or over a shortcut of a dimension; all 0 from a host.",
    "arrival-class": "Virtual channel class on which it came over a local link.",
    "output-port": "Output port of the packet, one-hot.",
    "output-class": "Virtual channel class of the next hop, where the port has two classes or more.",
    "arrived": "The destination is this switch.",
    "invalid": "The destination does not exist.",
    "table-write": "Write port of the table.",
    "key": "Key of the lookup.",
    "action": "Action of the entry that matches; 0 without one.",
    "hit": "An entry matches.",
    "table-loaded": "The table has been written; until then every lookup misses.",
    "no-route": "The table was asked, and has no port that is alive.",
    "dead-port": "Output ports that are reported dead, one bit each.",
    "packet-table": "Header bit by which a packet stays with the tables: as it came in, and as it goes out.",
    "table-mode": "Route every packet by the table.",
    "data": "Data.",
    "codeword": "Codeword.",
    "corrected": "An error was corrected.",
    "uncorrectable": "There are more errors than can be corrected.",
    "position": "Position of the corrected bit.",
    "input-payload": "Stream {} into the block: its payload moves in every cycle in which valid and ready are 1.",
    "output-payload": "Stream {} out of the block: its payload moves in every cycle in which valid and ready are 1.",
    "enable": "Modes of operation.",
    "status": "Status.",
    "counter": "Counters of events; each stays at its greatest value until clear.",
    "clear": "Clear the counters.",
}
ROLES |= {f"{way}-{part}": ROLES[f"{way}-payload"] for way in ("input", "output") for part in ("valid", "ready")}


def groups(names, roles):
    """``[(sentence, names)]``: neighbours of one role, or of one stream, together. Clock and reset need no role."""
    own = {"clk": "clock", "rst": "reset"}

    def sentence(name):
        role = roles[name]["role"] if name in roles else own[name]
        return ROLES[role].format(name.rpartition("_")[0])

    return [(about, list(group)) for about, group in groupby(names, sentence)]
