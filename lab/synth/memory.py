"""Memories of a design: size, ports, and whether a RAM can hold them."""

import json
from pathlib import Path

from dsnswitch.lab.synth.library import RAM

#: Least number of bits of a memory that stays RAM, with the register of its read port; smaller memories become flip-flops.
RAM_BITS = 1024

#: Least number of words of a memory that stays RAM.
RAM_WORDS = 4

#: Most bits of a memory with an asynchronous read port, which no RAM of a foundry has, that becomes flip-flops.
FLIP_FLOPS = (1 << 13) - 1

#: Most ports of the RAM that foundries and FPGAs offer.
MOST_PORTS = 2


def described(cell):
    """Description of a cell ``$mem_v2``, as ``write_json`` writes it.

    It has ``name``, ``words`` and ``width``; the numbers of ports that read, write, and do ``both``: a read and a write port with
    the same address and clock are one port of a RAM. ``constant``: whether a port has a constant address; of a memory that is
    never written, whether every port has. And ``asynchronous``: whether a port reads without a clock.
    """
    values = cell["parameters"]
    reads, writes = (_ports(cell, way) for way in ("RD", "WR"))
    # Bits that are constant are strings. The address of the only word of a memory has no bits.
    fixed = [all(isinstance(bit, str) for bit in address) for address, _ in (*reads, *writes)]
    alone = list(writes)
    for address, clock in reads:
        for port in alone:
            if port[0] == address and clock in (None, port[1]):
                alone.remove(port)
                break
    both = len(writes) - len(alone)
    return {
        "name": values["MEMID"].removeprefix("\\"),
        "words": int(values["SIZE"], 2),
        "width": int(values["WIDTH"], 2),
        "reads": len(reads) - both,
        "writes": len(alone),
        "both": both,
        "constant": any(fixed) if writes else all(fixed),
        "asynchronous": any(clock is None for _, clock in reads),
    }


def _ports(cell, way):
    """``(address, clock)`` of each port of one kind; the clock of a read port without a register is None."""
    values, nets = cell["parameters"], cell["connections"]
    bits = int(values["ABITS"], 2)
    flags = {key: values[f"{way}_{key}"][::-1] for key in ("WIDE_CONTINUATION", "CLK_ENABLE", "CLK_POLARITY")}
    found = []
    for index in range(int(values[f"{way}_PORTS"], 2)):
        # A port that is wider than a word takes several places, all but the first of which are continuations.
        if flags["WIDE_CONTINUATION"][index] == "0":
            clock = (nets[f"{way}_CLK"][index], flags["CLK_POLARITY"][index])
            address = nets[f"{way}_ADDR"][index * bits : (index + 1) * bits]
            found.append((address, clock if flags["CLK_ENABLE"][index] == "1" else None))
    return found


def remark(memory):
    """A sentence about a RAM that has more ports than can be bought, otherwise None."""
    kinds = {"read": memory["reads"], "write": memory["writes"], "read and write": memory["both"]}
    number = sum(kinds.values())
    if number <= MOST_PORTS:
        return None
    shares = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    return (
        f"RAM {memory['name']} ({memory['words']} x {memory['width']} bits) has {number} ports ({shares}); "
        f"a RAM usually has at most {MOST_PORTS}"
    )


def keep_ram(run, job):
    """Each large memory as a black box of its own; in ``ram.json`` their bits, ports, and the output pins of each.

    A memory with a constant address, such as a shift register, becomes flip-flops: a port of a RAM has an address. So does a
    memory of few words, and one of up to :data:`FLIP_FLOPS` bits that is read without a clock.
    """
    run("tee -o memories.txt select -list t:$mem_v2")
    found = {"bits": 0, "outputs": {}, "memories": []}
    # A design without memories is not changed, because the mapper's result depends on the order and names of cells.
    if f"{job['top']}/" in Path("memories.txt").read_text():
        run("rename -enumerate -pattern memory_% t:$mem_v2")
        for index, (name, cell) in enumerate(_cells(run, job, "$mem_v2")):
            memory = described(cell)
            bits = memory["words"] * memory["width"]
            small = bits < RAM_BITS or memory["words"] < RAM_WORDS or (memory["asynchronous"] and bits <= FLIP_FLOPS)
            if not small and not memory["constant"]:
                found["bits"] += bits
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
