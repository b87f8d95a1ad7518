"""Prices and power of switches and cables: models as TOML files, some of them in the package with their sources."""

from dataclasses import dataclass
from importlib.resources import files
from math import inf, isfinite
from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.reading import read_toml

#: Models of the package by name; the first is the default.
MODELS = ("slim-fly", "cable-monster", "cables-low", "cables-high")

_SWITCH = {"base": 0.0, "per_port": 0.0, "watts_per_port": 0.0}
_CABLE = {"kind": "cable", "base": 0.0, "per_metre": 0.0, "reach": inf, "watts": 0.0}
_WORK = {"inside": 0.0, "between": 0.0}


@dataclass(frozen=True)
class Kind:
    """A kind of cable: ``base + per_metre * length`` up to a length of ``reach`` metres, and its ``watts``."""

    kind: str
    base: float
    per_metre: float
    reach: float
    watts: float


@dataclass(frozen=True)
class Model:
    """Prices in ``currency``.

    A switch of k ports costs ``base + per_port * k`` and takes ``watts_per_port * k``. A cable is of the cheapest of ``cables``
    that reaches far enough; its installation costs ``inside`` or ``between`` more.
    """

    name: str
    source: str
    currency: str
    base: float
    per_port: float
    watts_per_port: float
    cables: tuple
    inside: float
    between: float

    def switch(self, ports) -> Any:
        """Price of switches with ``ports`` ports; a switch is never cheaper than nothing."""
        return np.maximum(self.base + self.per_port * ports, 0.0)

    def chosen(self, lengths) -> tuple:
        """Index of the kind of each cable, and its price without installation."""
        prices = np.array([np.where(lengths <= one.reach, one.base + one.per_metre * lengths, inf) for one in self.cables])
        if not np.isfinite(prices.min(axis=0)).all():
            longest = float(np.max(lengths))
            raise UsageError(f"Cost model {self.name} must have a cable of {longest:.1f} m; its longest is shorter")
        return prices.argmin(axis=0), prices.min(axis=0)


def model(text) -> Model:
    """The model with a name of :data:`MODELS`, or that of a TOML file."""
    if text in MODELS:
        return _model(read_toml(files("dsnswitch.net.plan").joinpath("costs", f"{text}.toml"), "Cost model"), text)
    if not text.endswith(".toml"):
        raise UsageError(f"Cost model must be {', '.join(MODELS)} or a TOML file, not {shortened(text, 40)!r}")
    return _model(read_toml(text, "Cost model"), text)


def _model(found, where):
    known = {"name", "source", "currency", "switch", "cable", "installation"}
    for key in found.keys() - known:
        raise UsageError(f"Cost model {where} must have the keys {', '.join(sorted(known))}, not {shortened(key, 40)}")
    for key in ("name", "source", "currency"):
        if not isinstance(found.get(key, ""), str):
            raise UsageError(f"Cost model {where}: {key} must be text, not {found[key]!r}")
    rows = found.get("cable", [])
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"Cost model {where} must have a table [[cable]] for each kind of cable")
    cables = tuple(Kind(**_numbers(row, _CABLE, f"{where}, [[cable]]")) for row in rows)
    switch = _numbers(found.get("switch", {}), _SWITCH, f"{where}, [switch]", least=-1e9)
    work = _numbers(found.get("installation", {}), _WORK, f"{where}, [installation]")
    about = {key: found.get(key, default) for key, default in (("name", where), ("source", ""), ("currency", ""))}
    return Model(**about, **switch, cables=cables, **work)


def _numbers(row, defaults, where, least=0.0):
    """``defaults`` with the values of ``row``: numbers of at least ``least``, and text where the default is text."""
    if not isinstance(row, dict):
        raise UsageError(f"Cost model {where} must be a table, not {shortened(str(row), 40)}")
    for key, value in row.items():
        if key not in defaults:
            raise UsageError(f"Cost model {where} must have the keys {', '.join(defaults)}, not {shortened(key, 40)}")
        if isinstance(defaults[key], str):
            if not isinstance(value, str):
                raise UsageError(f"Cost model {where}: {key} must be text, not {value!r}")
        elif isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < least:
            raise UsageError(f"Cost model {where}: {key} must be a number of at least {least:g}, not {value!r}")
    return {**defaults, **row}
