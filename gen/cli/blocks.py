"""Command ``blocks``: the list of blocks."""

import json

import click

from dsnswitch.gen.blocks import BLOCKS, DEFAULT, DEVICE

__all__ = ["blocks"]


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def blocks(form):
    """List the blocks that --block accepts, one line each; as JSON with the schema of each parameter.

    The parameters of one block: dsnswitch verilog --block NAME --help
    """
    if form == "json":
        rows = [
            {
                "name": name,
                "default": name == DEFAULT,
                "default_of_verilog": name == DEVICE,
                "description": block.summary(),
                "parameters": block.PROPERTIES,
            }
            for name, block in BLOCKS.items()
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(map(len, BLOCKS))
    for name, block in BLOCKS.items():
        click.echo(f"{name:<{width}}  {block.summary()}")
