"""How options are declared, and that everything else follows from the declaration."""

import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build
from dsnswitch.hdl.port.shape import KINDS
from dsnswitch.net.files.options import CORE, LINK, NETWORK, PRESETS, SIMULATION, SWITCH
from dsnswitch.net.options import Options, choice, flag, integer, number, refuse_unneeded, text


def test_schemas():
    assert integer("Bits.", 1, 9).schema == {"type": "integer", "minimum": 1, "maximum": 9, "description": "Bits."}
    assert integer("Stages.", 0, 9, 0, "combinational").description == "Stages. Default 0, combinational."
    assert integer("Cycles.", 0, 9, note="none").schema["description"] == "Cycles. Default none."
    assert choice("One.", ("a", "b")).schema == {"enum": ["a", "b"], "description": "One. Default a.", "default": "a"}
    assert choice("One.", ("a", "b"), optional=True).schema == {"enum": ["a", "b"], "description": "One."}
    assert flag("Both.", True).schema == {"type": "boolean", "description": "Both. Default on.", "default": True}
    assert text("Name.").schema == {"type": "string", "description": "Name."}
    loads = number("Loads.", 0, 1, (), open=True, many=True)
    one = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    assert loads.schema == {"anyOf": [one, {"type": "array", "items": one}], "description": "Loads."}
    assert integer("Cycles. In thousands.", 0, 9000, 1000, step=1000).brief == "Cycles. [1000]"


@dataclass(frozen=True, kw_only=True)
class Example(Options):
    """Options of a test."""

    size: int = integer("Size.", 1, 9, 4, suffix="_s{}")
    way: str = choice("Way.", ("left", "right"))
    far: bool = flag("Far.", False, needs={"way": ("right",)})
    load: tuple = number("Loads.", 0, 1, (), open=True, many=True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 10}, "size must be in 1..9, not 10"),
        ({"size": "4"}, "size must be an integer, not '4'"),
        ({"way": "up"}, "way must be one of left, right, not 'up'"),
        ({"far": True}, "far needs way = right, not left"),
        ({"load": 0}, "load must be above 0 and at most 1, not 0"),
        ({"load": [0.5, float("nan")]}, "load must be above 0 and at most 1, not nan"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises((TypeError, ValueError)) as refused:
        Example(**values)
    assert str(refused.value) == message


def test_values():
    made = Example.of({"size": 3, "way": None, "far": None, "load": ((0.1, 0.2), 0.1), "other": 1})
    assert made == Example(size=3, load=[0.1, 0.2])
    assert [Example.OPTIONS["size"].ending(size) for size in (4, 3)] == ["", "_s3"]


def test_options_that_are_needed_are_options_of_the_same_table():
    every = {key: one for group in SIMULATION.values() for key, one in group.items()}
    for table in (CORE, SWITCH, every):
        for name, one in table.items():
            for other, words in (one.needs or {}).items():
                # The block is no option of its own.
                assert other in (*table, "block"), name
                assert words is True or other not in table or set(words) <= set(table[other].words), name
    refuse_unneeded(every, {key: one.default for key, one in every.items()})


def test_round_trips_are_those_of_the_links():
    one = LINK["round_trip"]
    assert (one.low, one.high) == (
        min(kind.round_trips[0] for kind in KINDS.values()),
        max(kind.round_trips[-1] for kind in KINDS.values()),
    )
    assert one.note == ", ".join(f"{kind.round_trip} ({name})" for name, kind in KINDS.items())
    assert LINK["link"].words == tuple(KINDS)


def test_presets():
    """A preset is the options that it stands for; an option that is given as well counts."""
    for name, values in PRESETS.items():
        core = {"block": "switch-core", "topology": "grid:4x4"}
        assert build(core | {"preset": name}) == build(core | values)
        assert build(core | {"preset": name, "age": 1}) == build(core | values | {"age": 1})


def test_names_of_the_command_line():
    """No two blocks have an option of one name with different kinds of value."""
    kinds = {}
    for block in BLOCKS.values():
        for key, one in block.OPTIONS.items():
            kinds.setdefault(one.word or key, set()).add(one.kind)
    assert not {name for name, found in kinds.items() if len(found) > 1}
    assert NETWORK["n"].help == "Supernodes of a ring."


#: A declaration that is added to those of the core, and where.
INVENTED = '    colour: int = integer("Colour of a flit.", 0, 7, 0, suffix="_colour{}")\n'
BEFORE = "    hosts: int | None = integer("

#: Prints what a user sees of the option.
SEEN = """
import sys
from dsnswitch.gen.cli import cli
from dsnswitch.gen.config import build, load, schema
from dsnswitch.lab.sweep.plan import SCHEMA, read_plan
from tools.docs.options import SWITCH
def help_of(*words):
    context = cli.make_context("dsnswitch", list(words))
    command = cli.get_command(context, words[0])
    return command.get_help(command.make_context(words[0], list(words[1:]), context, resilient_parsing=True))
folder = sys.argv[1]
print("--colour INTEGER" in help_of("simulate"))
print("colour" in {option.name for option in cli.get_command(None, "verilog").params})
print(schema("switch")["properties"]["colour"]["description"], "colour" in SCHEMA["properties"])
block = build(load(f"{folder}/core.toml"))
print(block.name.rpartition("_")[2], block.parameters["colour"], block.shape.colour)
print([curve.label for curve in read_plan(f"{folder}/sweep.toml").curves])
print("| `--colour` | 0 to 7 | 0 | Colour of a flit. |" in SWITCH["core-options"](None))
"""


def test_one_declaration_adds_an_option(root, tmp_path):
    """Command line, schema, configuration file, name of the file, manifest, axis of a sweep and page of an option of the core."""
    package = tmp_path / "dsnswitch"
    package.mkdir()
    shutil.copy(root / "src" / "dsnswitch" / "__init__.py", package)
    for top in ("gen", "hdl", "lab", "sim"):
        (package / top).symlink_to(root / top)
    shutil.copytree(root / "net", package / "net")
    path = package / "net" / "files" / "options.py"
    declared = path.read_text()
    assert declared.count(BEFORE) == 1
    path.write_text(declared.replace(BEFORE, INVENTED + BEFORE))
    (tmp_path / "core.toml").write_text('block = "switch-core"\ntopology = "torus:4"\ncolour = 3\n')
    (tmp_path / "sweep.toml").write_text('topology = "torus:4"\ncolour = [1, 2]\n')
    command = [sys.executable, "-c", SEEN, tmp_path]
    seen = subprocess.run(command, env={"PYTHONPATH": f"{tmp_path}:{root}"}, cwd=tmp_path, capture_output=True, text=True)
    assert seen.stderr == ""
    assert seen.stdout.splitlines() == [
        *("True", "True", "Colour of a flit. Default 0. True", "colour3 3 3"),
        "['torus:4, colour 1', 'torus:4, colour 2']",
        "True",
    ]
