"""The tables of options, from their declarations."""

from dsnswitch.net.files.options import CORE, LINK, SIMULATION, Refinement
from tools.docs.markdown import table


def options(declared, of_file=False):
    """A table of options, or of keys of a file, by name: their values, default and meaning."""
    rows = [
        [
            f"`{key}`" if of_file else f"`--{key.replace('_', '-')}`",
            one.range,
            one.usual.removeprefix("Default ").rstrip("."),
            one.help,
        ]
        for key, one in declared.items()
    ]
    return table(["key" if of_file else "option", "values", "default", "meaning"], rows)


#: Generated parts of docs/switch.md, fabric-port.md, sweep.md and simulate.md.
SWITCH = {"core-options": lambda _store: options(CORE)}
PORT = {"link-options": lambda _store: options(LINK)}
SWEEP = {"refinement-options": lambda _store: options(Refinement.OPTIONS, of_file=True)}
SIMULATE = {
    f"{name.lower()}-options": lambda _store, name=name: options(SIMULATION[name]) for name in ("Traffic", "Links", "Measurement")
}
