"""Help of commands that have the option ``--block``. If a block is given, the help shows only the parameters of that block."""

from contextlib import suppress

import click

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.cli.options import option_of

__all__ = ["BlockCommand"]

#: Names of all options that are a parameter of some block.
_PARAMETERS = {key for block in BLOCKS.values() for key in block.PROPERTIES}


class BlockCommand(click.Command):
    """A command with the options of all blocks.

    ``--block NAME --help`` shows only the options of one block; the two options may have any order.
    """

    def parse_args(self, ctx, args):
        # The help is printed while the options are processed, so the block must be found before that.
        chosen = None
        with suppress(click.UsageError):
            chosen = self.make_parser(ctx).parse_args(list(args))[0].get("block")
        if chosen is not None and not ctx.resilient_parsing:
            option = next(param for param in self.get_params(ctx) if param.name == "block")
            ctx.meta[__name__] = option.type_cast_value(ctx, chosen)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx, formatter):
        super().format_help_text(ctx, formatter)
        if __name__ in ctx.meta:
            name = ctx.meta[__name__]
            with formatter.section(f"Block {name}"):
                formatter.write_text(BLOCKS[name].summary())

    def format_options(self, ctx, formatter):
        if __name__ not in ctx.meta:
            super().format_options(ctx, formatter)
            return
        name = ctx.meta[__name__]
        rules = BLOCKS[name].PROPERTIES
        own, others = [], []
        for param in self.get_params(ctx):
            if param.name in rules:
                names, attributes = option_of(param.name, {name: rules[param.name]})
                own.append(click.Option(names, **attributes).get_help_record(ctx))
            elif param.name not in _PARAMETERS:
                others.append(param.get_help_record(ctx))
        for title, records in (("Parameters", own), ("Options", others)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
