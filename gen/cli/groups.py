"""Groups of commands. The group of all commands imports a command when it is used, as most need a small part of the code."""

from importlib import import_module

import click
from click.shell_completion import CompletionItem

from dsnswitch.net.messages import UsageError, nearest, shortened


class HelpByDefault(click.Group):
    """A group of commands that prints its help when no command is given."""

    def parse_args(self, ctx, args) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx, args):
        """The command that the first word names; a wrong word is refused with the nearest command."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            more = nearest(args[0], self.list_commands(ctx), f"{ctx.command_path} --help lists all")
            raise UsageError(f"There is no command {shortened(args[0], 40)!r}{more}")
        return super().resolve_command(ctx, args)


class Commands(HelpByDefault):
    """Commands that are imported when they are used. Help and completion show them without importing any.

    ``table`` is ``{name: (module, short help)}``. The module has the command under its name, with underscores in place of
    hyphens.
    """

    def __init__(self, *words, table=(), **attributes):
        super().__init__(*words, **attributes)
        self.table = dict(table)

    def list_commands(self, ctx):
        return sorted(self.table)

    def get_command(self, ctx, name):
        if name not in self.table:
            return None
        return getattr(import_module(self.table[name][0]), name.replace("-", "_"))

    def format_commands(self, ctx, formatter) -> None:
        limit = formatter.width - 6 - max(map(len, self.table))
        rows = [(name, click.Command(name, help=self.table[name][1]).get_short_help_str(limit)) for name in sorted(self.table)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx, incomplete) -> list[CompletionItem]:
        found = [CompletionItem(name, help=text) for name, (_, text) in sorted(self.table.items()) if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)
