"""Descriptions of port roles, for the comments of the emitted Verilog and of the instantiation template."""

from itertools import groupby

__all__ = ["ROLES", "groups"]

#: A sentence for each role of the manifest; ``{}`` is the name of a stream.
ROLES = {
    "clock": "Clock, rising edge.",
    "reset": "Reset, synchronous, active high.",
    "own-address": "Address of this switch: static, valid and constant while packets flow.",
    "network-size": "Supernodes in a dimension: static and constant while packets flow.",
    "destination-address": "Destination of the packet.",
    "arrival-kind": "Input port of the packet: a local link, or a shortcut of a dimension; all 0 from a host.",
    "arrival-direction": "The packet arrived from a switch of higher id; 0 from a host.",
    "arrival-class": "Virtual channel class on which the packet arrived; 0 from a host.",
    "arrival-port": "Port on which the packet arrived, one-hot; 0 from a host.",
    "packet-detour": "Header bits of a packet that makes detours: at the input, and at the output.",
    "undeliverable": "No detour leads on: the packet goes to the tables, or is reported to its source.",
    "output-port": "Output port of the packet, one-hot.",
    "output-class": "Virtual channel class of the next hop, where the port has two classes or more.",
    "arrived": "The destination is this switch.",
    "invalid": "The destination does not exist.",
    "table-write": "Write port of the table.",
    "key": "Key of the lookup.",
    "action": "Action of the matching entry; 0 without one.",
    "hit": "An entry matches.",
    "table-loaded": "The table is written; until then every lookup misses.",
    "no-route": "The table was looked up and has no live port.",
    "dead-port": "Output ports that are reported dead, one bit each.",
    "packet-table": "Header bit that keeps a packet with the tables: at the input, and at the output.",
    "table-mode": "Route every packet by the table.",
    "data": "Data.",
    "codeword": "Codeword.",
    "corrected": "An error was corrected.",
    "uncorrectable": "The errors cannot be corrected.",
    "position": "Position of the corrected bit.",
    "input-payload": "Stream {} into the block: a transfer takes place in each cycle in which valid and ready are 1.",
    "output-payload": "Stream {} out of the block: a transfer takes place in each cycle in which valid and ready are 1.",
    "input-flit": "Link {}: flits into the block on one-hot virtual channels, credits out of it.",
    "output-flit": "Link {}: flits out of the block on one-hot virtual channels, credits into it.",
    "input-axi": "AXI4-Stream {} into the block: packets of flits.",
    "output-axi": "AXI4-Stream {} out of the block: packets of flits.",
    "stall": "The link cannot take flits now: the core grants nothing from the next cycle on.",
    "link-end": "Address and port number of this end, and those that the other end must have: static.",
    "packet-event": "A pulse per event, one bit per port at which the packet arrived.",
    "host-patience": "Cycles after which packets for a host that takes nothing are dropped; 0: never.",
    "untaken-packet": "A pulse per packet that is dropped because its host takes nothing, one bit per host.",
    "enable": "Modes of operation.",
    "status": "Status.",
    "counter": "Saturating counters of events.",
    "clear": "Set the counters to 0.",
    "input-apb": "Port {}: APB4 target for status and control.",
}
ROLES |= {f"{way}-{part}": ROLES[f"{way}-payload"] for way in ("input", "output") for part in ("valid", "ready")}


def groups(names, roles):
    """``[(sentence, names)]``: neighbours of one role, or of one stream, together. Clock and reset need no role."""
    own = {"clk": "clock", "rst": "reset"}

    def sentence(name):
        role = roles[name]["role"] if name in roles else own[name]
        return ROLES[role].format(name.rpartition("_")[0])

    return [(about, list(group)) for about, group in groupby(names, sentence)]
