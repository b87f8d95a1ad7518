"""Bench that uses only the manifest of this project, as another project would.

Packets follow the answers of the logic under test, through the ports, encodings and links that the manifest states,
until the logic asserts ``arrived``. Parameters: ``manifest`` (path), ``walks``, ``limit`` (hops), ``seed``.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer


@cocotb.test()
async def packets_arrive(dut):
    """Every packet reaches its destination, hop by hop."""
    parameters = json.loads(os.environ["DSNSWITCH_BENCH"])
    manifest = json.loads(Path(parameters["manifest"]).read_text())
    rng = random.Random(parameters.get("seed", 1))
    by_role = {}
    for port in manifest["ports"]:
        handle = getattr(dut, port["name"])
        assert len(handle) == port["width"], port
        by_role.setdefault(port["role"], []).append((port, handle))
    fields = manifest["address"]["fields"]
    if manifest["clock"]:
        Clock(getattr(dut, manifest["clock"]["port"]), 10, unit="ns").start()
        reset = getattr(dut, manifest["reset"]["port"])
        reset.value = 1
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        reset.value = 0

    async def ask(own, dst):
        for role, address in (("own-address", own), ("destination-address", dst)):
            for port, handle in by_role.get(role, []):
                low, high = port["range"]
                assert low <= address[port["field"]] <= high
                handle.value = address[port["field"]]
        for _ in range(manifest["latency_cycles"]):
            await FallingEdge(getattr(dut, manifest["clock"]["port"]))
        await Timer(1, unit="ns")
        one_hot, arrived, invalid = (int(by_role[role][0][1].value) for role in ("output-port", "arrived", "invalid"))
        assert bin(one_hot).count("1") + arrived + invalid == 1
        assert not invalid
        return one_hot.bit_length() - 1

    for _ in range(parameters["walks"]):
        own, dst = ({field["name"]: rng.randrange(field["size"]) for field in fields} for _ in range(2))
        hops = 0
        while (output := await ask(own, dst)) >= 0:
            [link] = [e for e in manifest["links"] if e["id"] == own["id"] and e["output"] == output]
            if link["kind"] != "local":
                size = next(field["size"] for field in fields if field["name"] == link["kind"])
                own[link["kind"]] = (own[link["kind"]] + link["offset"]) % size
            own["id"] = link["to_id"]
            hops += 1
            assert hops <= parameters["limit"], f"still {own} on the way to {dst}"
        assert own == dst
