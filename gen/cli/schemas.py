"""The command schema: JSON schemas of the files that users write, and of those that commands write."""

import json
from importlib import import_module
from importlib.resources import files
from typing import Any

import click

#: What each name stands for, and where its schema is: a file of a package, or a value or function of a module.
SCHEMAS = {
    "config": ("configuration file of a block", "gen.config:schema"),
    "manifest": ("manifest of an emitted top", "gen/emit/manifest.schema.json"),
    "simulate": ("result of simulate", "sim.network.experiment.schema:SCHEMA"),
    "sweep": ("file of a sweep", "lab.sweep.plan:SCHEMA"),
    "synth": ("report of synth", "lab/synth/synth.schema.json"),
    "table": ("routing tables", "net.tables.files:SCHEMA"),
    "topology": ("graph of a network", "net/files/topology.schema.json"),
    "vectors": ("test vectors of a code", "gen/vectors.schema.json"),
}


def schema_of(name: str) -> Any:
    """The JSON schema called ``name``, one of :data:`SCHEMAS`."""
    place = SCHEMAS[name][1]
    if place.endswith(".json"):
        return json.loads(files("dsnswitch").joinpath(place).read_text(encoding="utf-8"))
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"dsnswitch.{module}"), attribute)
    return found() if callable(found) else found


@click.command(epilog="Names: " + "; ".join(f"{name}, {text}" for name, (text, _) in SCHEMAS.items()) + ".")
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def schema(name) -> None:
    """Print the JSON schema of a kind of file: configuration, sweep, manifest, tables, result."""
    click.echo(json.dumps(schema_of(name), indent=2))
