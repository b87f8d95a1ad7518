"""Checks of a manifest that hold for every block."""

import re

__all__ = ["NAMES", "ports_of_the_text", "stated_ports", "unfilled_payloads"]

#: Names of files for a manifest whose block is not written to a folder.
NAMES = dict.fromkeys(("verilog", "template", "manifest", "file_list", "core", "sdc"), "block")


def head(text, top):
    """The head of the module ``top``: its name and ports."""
    return re.search(rf"^module {top} (?:#\(\n.*?\n\) )?\(\n.*?\n\);", text, re.MULTILINE | re.DOTALL)[0]


def ports_of_the_text(text, top):
    """``[(name, direction, width)]`` of the module ``top`` of a Verilog text, in order."""
    return [
        (name, direction, int(high or 0) + 1)
        for direction, high, name in re.findall(
            r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+),?$", head(text, top), re.MULTILINE
        )
    ]


def stated_ports(manifest):
    """``[(name, direction, width)]`` of the top module, in order, as the manifest states them."""
    return [(port["name"], port["direction"], port["width"]) for port in manifest["ports"]]


def unfilled_payloads(manifest):
    """Names of ports whose fields are not adjacent, with gaps or overlaps between them."""
    wrong = []
    for port in manifest["ports"]:
        if "fields" in port:
            bits = [bit for field in port["fields"] for bit in range(field["bits"][0], field["bits"][1] + 1)]
            if sorted(bits) != list(range(port["width"])):
                wrong.append(port["name"])
    return wrong
