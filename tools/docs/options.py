"""The tables of options, from their declarations."""

from dsnswitch.net.files.options import CORE, SIMULATION
from tools.docs.markdown import table


def options(declared):
    """A table of options by name: their values, default and meaning."""
    rows = [
        [f"`--{key.replace('_', '-')}`", one.range, one.usual.removeprefix("Default ").rstrip("."), one.help]
        for key, one in declared.items()
    ]
    return table(["option", "values", "default", "meaning"], rows)


#: Generated parts of docs/switch.md and of docs/simulate.md.
SWITCH = {"core-options": lambda _store: options(CORE)}
SIMULATE = {
    f"{name.lower()}-options": lambda _store, name=name: options(SIMULATION[name]) for name in ("Traffic", "Links", "Measurement")
}
