"""A cocotb test of emitted route logic: it reads the manifest, and follows packets through the network hop by hop.

The manifest lists the ports, and the node at the other end of each output port, so the test needs no other part of dsnswitch.
"""

import json
import os
import random
import sys
from pathlib import Path

import cocotb
from cocotb.triggers import Timer

if "MANIFEST" not in os.environ:
    sys.exit("usage: python run.py MANIFEST SIMULATOR, which runs this test")
MANIFEST = json.loads(Path(os.environ["MANIFEST"]).read_text())
FIELDS = [field["name"] for field in MANIFEST["address"]["fields"]]
SIZES = [field["size"] for field in MANIFEST["address"]["fields"]]


async def decide(dut, own, destination):
    """``(out_port, arrived)`` of the logic at the node ``own``."""
    for name, here, there in zip(FIELDS, own, destination):
        getattr(dut, f"own_{name}").value = here
        getattr(dut, f"dst_{name}").value = there
    await Timer(1, "ns")
    assert int(dut.invalid.value) == 0
    return int(dut.out_port.value), int(dut.arrived.value)


def follow(own, port):
    """The node at the other end of the link at output ``port`` of the node ``own``."""
    row = next(row for row in MANIFEST["links"] if (row["id"], row["output"]) == (own[-1], port))
    there = dict(zip(FIELDS, own)) | {"id": row["to_id"]}
    if row["kind"] != "local":
        size = SIZES[FIELDS.index(row["kind"])]
        there[row["kind"]] = (there[row["kind"]] + row["offset"]) % size
    return tuple(there.values())


@cocotb.test()
async def every_packet_arrives(dut):
    rng = random.Random(1)
    for _ in range(200):
        here, destination = (tuple(map(rng.randrange, SIZES)) for _ in range(2))
        for _ in range(20):
            out_port, arrived = await decide(dut, here, destination)
            assert bool(arrived) == (here == destination)
            if arrived:
                break
            assert out_port.bit_count() == 1
            here = follow(here, out_port.bit_length() - 1)
        assert here == destination
