"""The designs that are laid out for the pages and the report, and the fingerprint that shows stale figures."""

import hashlib
import json
from functools import cache

from dsnswitch.gen.config import build
from dsnswitch.hdl.baseline.mesh import PlainMeshRoute
from dsnswitch.hdl.fec.reed_solomon.key_equation import RibmCell
from dsnswitch.hdl.fec.reed_solomon.parameters import NAMED
from dsnswitch.hdl.pcs.scrambler import Scrambler
from dsnswitch.lab.figures.fingerprint import recipe_hash
from dsnswitch.lab.figures.measured_set import curves, table_of, torus_of
from dsnswitch.lab.layout.report import conditions
from dsnswitch.lab.layout.subject import of_block, of_component

__all__ = ["DESIGNS", "PICTURE", "fingerprint", "subject"]

#: Version of the flow. Increase it after a change of ``lab/layout`` that changes figures.
FLOW = 1

_SECDED = {"n": 270, "k": 260}

#: Name: ``(title, function that makes the design)``.
DESIGNS = {
    "universal-512": ("universal routing logic, 512 nodes", lambda: build({"p": 3})),
    "universal-2048": ("universal routing logic, 2,048 nodes", lambda: build({"p": 4})),
    "registered-512": ("universal routing logic, 512 nodes, registered", lambda: build({"p": 3, "register": True})),
    "node-512": ("one node's routing logic, 512 nodes", lambda: build({"p": 3, "node": "3,5,7"})),
    "near-minimal-512": ("near-minimal routing logic, 512 nodes", lambda: build({"p": 3, "routing": "near-minimal"})),
    "torus": ("torus 8 x 8 x 8, universal", lambda: torus_of(3)),
    "node-torus": (
        "one node's torus logic, 8 x 8 x 8",
        lambda: build({"block": "baseline-torus", "sizes": "8x8x8", "node": "3,5,7"}),
    ),
    "mesh": (
        "mesh 8 x 8 x 8, universal",
        lambda: of_component("baseline_mesh_8x8x8", PlainMeshRoute((8, 8, 8)), ("own_dim0", "own_dim1", "own_dim2")),
    ),
    "tcam-512": ("ternary table of the dissertation's size, 512 nodes", lambda: table_of(3)),
    "tcam-2048": ("ternary table of the dissertation's size, 2,048 nodes", lambda: table_of(4)),
    "routes-512": ("ternary table with the same routes, 512 nodes", lambda: curves((3,))["ternary"][3]),
    "direct-512": ("direct table without its RAM, 512 nodes", lambda: curves((3,))["direct"][3]),
    "secded-encoder": ("SECDED(270,260) encoder", lambda: build({"block": "secded-encoder", **_SECDED})),
    "secded-decoder": ("SECDED(270,260) decoder", lambda: build({"block": "secded-decoder", **_SECDED})),
    **{
        f"{construction}-{side}": (
            f"{construction.title()} code {side}, 270 bits",
            lambda construction=construction, side=side: build(
                {"block": f"baseline-secded-{side}", **_SECDED, "construction": construction}
            ),
        )
        for construction in ("hsiao", "hamming")
        for side in ("encoder", "decoder")
    },
    "scrambler": ("64b/66b scrambler, 64 bits", lambda: of_component("scrambler_64", Scrambler(64))),
    "key-equation-cell": (
        "key-equation cell of RS(528,514)",
        lambda: of_component("ribm_cell", RibmCell(NAMED["rs-528-514"].field)),
    ),
}

#: Designs in the picture, from left to right, and their titles.
PICTURE = {
    "universal-512": "routing logic",
    "tcam-512": "ternary table",
    "secded-decoder": "SECDED decoder",
}


@cache
def subject(name):
    """The :class:`Subject` called ``name``, one of :data:`DESIGNS`."""
    made = DESIGNS[name][1]()
    return made if hasattr(made, "verilog") else of_block(made)


def fingerprint(name):
    """Hash of a design's Verilog, the recipe, and the conditions and version of the flow."""
    parts = [subject(name).verilog, subject(name).settled, recipe_hash("osu018"), conditions(), FLOW]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
