"""The table of all commands: it imports no command before it is used, and says what the commands say."""

import subprocess
import sys

import click
import pytest
from command_tree import commands

from dsnswitch.gen.cli import cli
from dsnswitch.net.messages import MOST_LINE
from tools.__main__ import tools


def test_short_help_is_that_of_the_command():
    for name, (_, text) in cli.table.items():
        command = cli.get_command(None, name)
        assert command.name == name
        assert command.get_short_help_str(300) == text


def test_help_lists_every_command(run):
    status, out, _ = run("--help")
    assert not status
    plain = click.Group("dsnswitch", {name: cli.get_command(None, name) for name in cli.table})
    lines = plain.get_help(click.Context(plain, max_content_width=80)).split("Commands:\n")[1]
    assert out.split("Commands:\n")[1].rstrip() == lines.rstrip()


#: Runs a command in this interpreter, then prints the packages that it has loaded.
PROGRAM = """
import sys; from dsnswitch.gen.cli import main
heavy, sys.argv[1:] = sys.argv[1].split(), sys.argv[2:]
try: main()
except SystemExit as stop: assert not stop.code, stop.code
print(*(name for name in heavy if name in sys.modules), file=sys.stderr)
"""

#: What takes time to load; a command loads what it needs.
HEAVY = ("amaranth", "numpy", "networkx", "jsonschema", "wasmtime", "urllib.request", "dsnswitch.gen.blocks")

#: What the route does not need: gateware of other blocks, and packages for analysis.
OTHERS = ("dsnswitch.hdl.fec.secded.coders", "dsnswitch.hdl.line.strict", "dsnswitch.hdl.core.core", "networkx", "numpy")


def loaded(heavy, *words):
    found = subprocess.run([sys.executable, "-c", PROGRAM, " ".join(heavy), *words], check=True, capture_output=True, text=True)
    return found.stderr.split()


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("--version", ()),
        ("--help", ()),
        ("topologies", ()),
        ("topology -p 1", ()),
        ("route -p 4 --from 0,0,0 --to 3,5,7", ()),
        ("check -p 1", ("numpy",)),
        ("blocks", ("dsnswitch.gen.blocks",)),
        ("simulate --help", ()),
        ("simulate --pattern help", ("numpy",)),
        ("verilog --help", ("dsnswitch.gen.blocks",)),
        ("verilog --block switch --help", ("dsnswitch.gen.blocks",)),
        ("vectors --code rs-528-514 --count 1", ("dsnswitch.gen.blocks",)),
    ],
)
def test_a_command_loads_what_it_needs(words, needed):
    assert loaded(HEAVY, *words.split()) == [*needed]


def test_the_route_loads_no_other_gateware():
    assert not loaded(OTHERS, "verilog", "--block", "route", "-p", "4", "--out", "-")


def test_completion_imports_no_command():
    program = (
        "import sys; from dsnswitch.gen.cli import cli\n"
        "from click.shell_completion import ShellComplete\n"
        "ShellComplete(cli, {}, 'dsnswitch', '_C').get_completions([], '')\n"
        f"loaded = {{*{HEAVY!r}}} & {{*sys.modules}}\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_list_of_words_is_cut():
    """A word that is none of an option's words is refused by a line that names all of them, or the nearest and what lists all."""
    for path, command in commands(cli, ("dsnswitch",)):
        context = click.Context(command, info_name=" ".join(path))
        for option in command.params:
            if isinstance(option.type, click.Choice):
                with pytest.raises(click.BadParameter) as refused:
                    option.type.convert("x" * 20, option, context)
                assert len(f"dsnswitch: error: {refused.value.format_message()}") <= MOST_LINE, (path, option.name)


@pytest.mark.parametrize(("name", "metavar"), [("--out", "FILE"), ("--folder", "FOLDER"), ("--clock", "GHZ")])
def test_an_option_is_the_same_in_every_command(name, metavar):
    every = [command for _, command in (*commands(cli), *commands(tools))]
    assert {option.metavar for command in every for option in command.params if name in option.opts} == {metavar}
