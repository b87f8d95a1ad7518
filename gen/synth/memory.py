"""Memories of a design: size, ports, and whether a RAM can hold them."""

__all__ = ["MOST_PORTS", "described", "remark"]

#: Most ports of the RAM that foundries and FPGAs offer.
MOST_PORTS = 2


def described(cell):
    """Description of a cell ``$mem_v2``, as ``write_json`` writes it.

    Returns
    -------
    dict
        ``name``, ``words``, ``width``, number of ``reads`` and ``writes`` (ports), and ``constant``: whether a port of a memory
        that is written has a constant address.
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
