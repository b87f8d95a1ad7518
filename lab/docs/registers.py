"""The page of all registers of a small switch, as PeakRDL writes it."""

import re

from dsnswitch.gen.config import build
from dsnswitch.gen.registers import registers_of, written

__all__ = ["SAMPLE", "registers_page"]

#: The switch of the page: two channels per port to a switch, tables.
SAMPLE = {"block": "switch", "topology": "torus:2", "lookup": "forwarding", "entries": 4}
COMMAND = "dsnswitch registers --topology torus:2 --lookup forwarding --entries 4 --as markdown"


def registers_page():
    """Markdown of the page."""
    block = build(SAMPLE)
    [text] = written(registers_of(block), "markdown", block.name, "").values()
    text = re.sub(r"<!---.*?-->\s*", "", text.decode(), flags=re.DOTALL)
    text = re.sub(r"</?p>", "", text)
    return (
        "# Registers of a small switch\n\n"
        "This page lists every register of a switch with one fabric port, one host port and tables, with its address.\n"
        "[registers.md](registers.md) explains how the registers behave. The rest of the page is written by\n\n"
        f"    {COMMAND}\n\n" + text.strip() + "\n"
    )
