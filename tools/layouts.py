"""Layouts of the pages: designs, their figures in ``docs/layouts.json`` with fingerprints, and the picture."""

import hashlib
import json
from functools import cache
from pathlib import Path

from dsnswitch.gen.config import build
from dsnswitch.gen.writing import write_files
from dsnswitch.hdl.baseline import PlainMeshRoute
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import RibmCell
from dsnswitch.hdl.pcs.scrambler import Scrambler
from dsnswitch.lab.layout.drawing import drawing, png
from dsnswitch.lab.layout.flow import lay_out
from dsnswitch.lab.layout.measured import conditions, figures
from dsnswitch.lab.synth.measure import Design, design_of, of_component
from dsnswitch.net.messages import UsageError, unwatched
from tools.figures.fingerprint import recipe_hash
from tools.figures.refresh import routes_of, table_of
from tools.figures.store import entries, file_schema, lines, read_parts, write_parts

#: Path of the file, relative to the repository.
PATH = "docs/layouts.json"

FORMAT, VERSION = "dsnswitch-layouts", 1

_ENTRY = {
    **{name: {"type": "string"} for name in ("name", "fingerprint")},
    **{name: {"type": "integer", "minimum": 0} for name in ("cells", "flip_flops", "nets", "pins", "rows", "vias")},
    **{name: {"type": "number", "minimum": 0} for name in ("utilisation", "wire_length", "wire_capacitance")},
    **{name: {"type": "object"} for name in ("area", "delays", "ratio")},
    **{name: {"type": "array"} for name in ("die", "densities")},
    "equivalent": {"const": True},
}

#: JSON schema of the file.
SCHEMA = file_schema(FORMAT, VERSION, blocks=entries(_ENTRY))


class Layouts:
    """Figures of layouts: ``blocks`` by name of :data:`DESIGNS` (:func:`figures`)."""

    def __init__(self, path, blocks=None):
        self.path, self.blocks = Path(path), blocks or {}

    def of(self, name):
        """Figures of one design.

        Raises :class:`UsageError` if the file has no figures of this design.
        """
        if name not in self.blocks:
            raise UsageError(f"{self.path} has no figures of {name}: run make layouts")
        return self.blocks[name]

    def write(self):
        """Write the file."""
        write_parts(self.path, FORMAT, VERSION, blocks=lines(self.blocks, " "))


def load(path):
    """The :class:`Layouts` of the file at ``path``. If there is no file, they contain no figures."""
    return read_parts(Layouts, path, "File of layouts", SCHEMA, "blocks")


# The designs that are laid out for the pages, and the fingerprint that shows stale figures.

#: Version of the flow. Increase it after a change of ``lab/layout`` that changes figures.
FLOW = 1

#: Name: ``(title, configuration of a block, or function that makes a block or a Design)``.
DESIGNS = {
    "universal-512": ("universal routing logic, 512 nodes", {"p": 3}),
    "universal-2048": ("universal routing logic, 2,048 nodes", {"p": 4}),
    "registered-512": ("universal routing logic, 512 nodes, registered", {"p": 3, "register": True}),
    "node-512": ("one node's routing logic, 512 nodes", {"p": 3, "node": "3,5,7"}),
    "minimal-512": ("minimal routing logic, 512 nodes", {"p": 3, "routing": "minimal"}),
    "torus": ("torus 8 x 8 x 8, universal", {"block": "baseline-torus", "sizes": "8x8x8"}),
    "node-torus": ("one node's torus logic, 8 x 8 x 8", {"block": "baseline-torus", "sizes": "8x8x8", "node": "3,5,7"}),
    "mesh": (
        "mesh 8 x 8 x 8, universal",
        lambda: of_component("baseline_mesh_8x8x8", PlainMeshRoute((8, 8, 8)), ("own_dim0", "own_dim1", "own_dim2")),
    ),
    "tcam-512": ("ternary table of the dissertation's size, 512 nodes", lambda: table_of(3)),
    "tcam-2048": ("ternary table of the dissertation's size, 2,048 nodes", lambda: table_of(4)),
    "routes-512": ("ternary table with the same routes, 512 nodes", lambda: routes_of(3)),
    "direct-512": (
        "direct table without its RAM, 512 nodes",
        lambda: build({"block": "table-direct", "words": 512, "action": 4}),
    ),
    **{
        f"secded-{side}": (f"SECDED(270,260) {side}", {"block": f"secded-{side}", "n": 270, "k": 260})
        for side in ("encoder", "decoder")
    },
    **{
        f"{kind}-{side}": (
            f"{kind.title()} code {side}, 270 bits",
            {"block": f"baseline-secded-{side}", "n": 270, "k": 260, "construction": kind},
        )
        for kind in ("hsiao", "hamming")
        for side in ("encoder", "decoder")
    },
    "scrambler": ("64b/66b scrambler, 64 bits", lambda: of_component("scrambler_64", Scrambler(64))),
    "key-equation-cell": (
        "key-equation cell of RS(528,514)",
        lambda: of_component("ribm_cell", RibmCell(NAMED["rs-528-514"].field)),
    ),
}

#: Designs in the picture, from left to right, and their titles.
PICTURE = {"universal-512": "routing logic", "tcam-512": "ternary table", "secded-decoder": "SECDED decoder"}


@cache
def subject(name):
    """The :class:`Design` called ``name``, one of :data:`DESIGNS`."""
    values = DESIGNS[name][1]
    made = build(values) if isinstance(values, dict) else values()
    return made if isinstance(made, Design) else design_of(made)


def fingerprint(name):
    """Hash of a design's Verilog, the recipe, and the conditions and version of the flow."""
    parts = [subject(name).verilog(), subject(name).settled, recipe_hash("osu018"), conditions(), FLOW]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


#: Designs whose stated delay is not that of the packet's paths, with the class of paths that is used instead. The lookup of
#: a direct table starts at the pins of its RAM.
FROM = {"direct-512": "registers"}


def delay(layouts, name, condition):
    """Delay in ns of a design under one of :data:`CONDITIONS`: its packet's paths, or those of :data:`FROM`."""
    return layouts.of(name)["delays"][condition][FROM.get(name, "packet")]


# Lays out the designs of the pages whose RTL has changed, and draws the picture.

#: The picture, relative to the repository.
PICTURE_FILE = "docs/pictures/layouts.png"


def stale(layouts):
    """Names of :data:`DESIGNS` whose figures are missing or belong to other RTL."""
    return [name for name in DESIGNS if layouts.blocks.get(name, {}).get("fingerprint") != fingerprint(name)]


def refresh(root, bar):
    """Make every figure under the folder ``root`` current. The file is written after each layout, so a run can be continued."""
    layouts = load(Path(root, PATH))
    todo, picture = stale(layouts), Path(root, PICTURE_FILE)
    if not picture.exists() or set(todo) & set(PICTURE):
        todo += [name for name in PICTURE if name not in todo]
    drawings = {}
    for name in bar(todo, f"{len(todo)} layouts"):
        layout = lay_out(subject(name), unwatched)
        layouts.blocks[name] = figures(layout) | {"fingerprint": fingerprint(name)}
        layouts.write()
        if name in PICTURE:
            drawings[name] = drawing(layout, PICTURE[name])
    layouts.blocks = {name: found for name, found in layouts.blocks.items() if name in DESIGNS}
    layouts.write()
    if drawings:
        write_files(picture.parent, {picture.name: png([drawings[name] for name in PICTURE])})
    return layouts
