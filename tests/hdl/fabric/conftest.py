"""Two fabric ports in one top, with a receiver of 256b/260b beside them."""

import json

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog import convert
from dsnswitch.hdl.fabric import FabricPort
from dsnswitch.hdl.logic import Beside
from dsnswitch.hdl.pcs.pcs260 import Pcs260Rx
from dsnswitch.sim.run import run_bench

#: A port with two classes, small packets and buffers; the header of the network takes most of a head flit of 64 bits.
SMALL = {"block": "fabric-port", "topology": "ring:5:ring-3", "flit": 256, "packet": 5, "depth": 12}


@pytest.fixture
def joined(lab):
    """A function that runs tests of ``fabric_bench`` on two ports of one configuration."""

    def run(tests, values=None, label="", wait=64, patience=2048, **parameters):
        block = build(SMALL | (values or {}))
        folder = lab.folder / f"joined-{block.name}{label}{lab.worker}"
        folder.mkdir(parents=True, exist_ok=True)
        names = dict.fromkeys(("verilog", "template", "manifest", "file_list", "core", "sdc"), "joined")
        about = manifest(block, block.component(), names)
        ports = {name: FabricPort(block.shape, wait=wait, patience=patience) for name in ("a", "b")}
        (folder / "joined.json").write_text(json.dumps(about))
        text = convert(Beside(**ports, reader=Pcs260Rx()), "joined", ["joined: two fabric ports."])
        (folder / "joined.v").write_text(text)
        parameters["manifest"] = str((folder / "joined.json").resolve())
        ran = run_bench("fabric_bench", folder / "joined.v", "joined", folder / "run", parameters, tests)
        lab.ran(ran)
        return ran

    return run
