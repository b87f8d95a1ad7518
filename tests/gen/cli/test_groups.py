"""The table of all commands: it imports no command before it is used, and says what the commands say."""

import subprocess
import sys

import click
from click.shell_completion import ShellComplete

from dsnswitch.gen.cli import cli


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


def test_completion_lists_the_commands():
    found = ShellComplete(cli, {}, "dsnswitch", "_C").get_completions([], "ta")
    assert [item.value for item in found] == ["table", "table-sizes"]


def test_help_and_completion_import_no_command():
    program = (
        "import sys; from dsnswitch.gen.cli import cli, main\n"
        "from click.shell_completion import ShellComplete\n"
        "ShellComplete(cli, {}, 'dsnswitch', '_C').get_completions([], '')\n"
        "try: sys.argv[1:] = ['--help']; main()\n"
        "except SystemExit: pass\n"
        "loaded = {'amaranth', 'numpy', 'networkx', 'jsonschema'} & {*sys.modules}\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
