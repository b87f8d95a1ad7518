"""Memories of a design: size, ports, and whether a RAM can hold them."""

import json
from pathlib import Path

from dsnswitch.lab.synth.library import RAM

#: Least number of bits of a memory that stays RAM, with the register of its read port; smaller memories become flip-flops.
RAM_BITS = 1024

#: Most ports of the RAM that foundries and FPGAs offer.
MOST_PORTS = 2


def described(cell):
    """Description of a cell ``$mem_v2``, as ``write_json`` writes it.

    It has ``name``, ``words``, ``width``, number of ``reads`` and ``writes`` (ports), and ``constant``: whether a port of a
    memory that is written has a constant address.
    """
    values, connections = cell["parameters"], cell["connections"]

    def ports(way):
        # A port that is wider than a word takes several places, all but the first of which are continuations.
        number = int(values[f"{way}_PORTS"], 2)
        return number - values[f"{way}_WIDE_CONTINUATION"][-number:].count("1") if number else 0

    bits = int(values["ABITS"], 2)
    addresses = [
        connections[f"{way}_ADDR"][start : start + bits]
        for way in ("RD", "WR")
        for start in range(0, int(values[f"{way}_PORTS"], 2) * bits, bits)
    ]
    return {
        "name": values["MEMID"].removeprefix("\\"),
        "words": int(values["SIZE"], 2),
        "width": int(values["WIDTH"], 2),
        "reads": ports("RD"),
        "writes": ports("WR"),
        # Bits that are constant are strings.
        "constant": ports("WR") > 0 and any(all(isinstance(bit, str) for bit in address) for address in addresses),
    }


def remark(memory):
    """A sentence about a RAM that has more ports than can be bought, otherwise None."""
    if memory["reads"] + memory["writes"] <= MOST_PORTS:
        return None
    return (
        f"RAM {memory['name']} ({memory['words']} x {memory['width']} bits) has {memory['reads']} read and "
        f"{memory['writes']} write ports; a RAM usually has at most {MOST_PORTS} ports"
    )


def keep_ram(run, job):
    """Each large memory as a black box of its own; in ``ram.json`` their bits, ports, and the output pins of each.

    A memory with a constant address, such as a shift register, becomes flip-flops: a port of a RAM has an address.
    """
    run("tee -o memories.txt select -list t:$mem_v2")
    found = {"bits": 0, "outputs": {}, "memories": []}
    # A design without memories is not changed, because the mapper's result depends on the order and names of cells.
    if f"{job['top']}/" in Path("memories.txt").read_text():
        run("rename -enumerate -pattern memory_% t:$mem_v2")
        for index, (name, cell) in enumerate(_cells(run, job, "$mem_v2")):
            memory = described(cell)
            if memory["words"] * memory["width"] >= RAM_BITS and not memory["constant"]:
                found["bits"] += memory["words"] * memory["width"]
                found["memories"].append(memory)
                run("submod -name", f"{RAM}_{index}", f"c:{name}")
                run("blackbox", f"{RAM}_{index}")
        for _, cell in _cells(run, job, RAM):
            ways = cell["port_directions"].items()
            found["outputs"][cell["type"]] = [pin for pin, way in ways if way == "output"]
    Path("ram.json").write_text(json.dumps(found))


def _cells(run, job, kind):
    """Name and contents of all cells of a kind."""
    run("write_json memories.json")
    cells = json.loads(Path("memories.json").read_text())["modules"][job["top"]]["cells"]
    return [(name, cell) for name, cell in cells.items() if cell["type"].startswith(kind)]
