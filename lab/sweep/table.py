"""A sweep's folder: its index, the curves with their points, and tables of all points as CSV or Parquet."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import make_folder, write_text
from dsnswitch.lab.sweep.plan import is_stable
from dsnswitch.lab.sweep.store import Store
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import columns, csv_text
from dsnswitch.net.reading import read_json
from dsnswitch.sim.network.experiment.plots import failed_links, run_of
from dsnswitch.sim.network.experiment.results import csv_row

__all__ = ["INDEX", "Found", "csv_table", "index", "kept", "parquet_table", "read_sweep", "rows", "summary", "write_index"]

#: Name of the index in the folder of a sweep.
INDEX = "sweep.json"


#: Inputs of a curve that the file does not state.
_DEFAULTS = {"pattern": "uniform", "link_delay": 0, "seed": 1}


@dataclass
class Found:
    """A curve as it was measured: its entry ``about`` of the index, and its ``points`` by load."""

    about: dict
    points: list

    @property
    def label(self) -> str:
        return self.about["label"]

    @property
    def shown(self) -> Any:
        """The label with the number of failed links."""
        return self.label + failed_links(self.about["traffic"])

    @property
    def alike(self) -> Any:
        """As :attr:`shown`, without the seed."""
        # Earlier versions did not write it.
        return self.about.get("alike", self.label) + failed_links(self.about["traffic"])

    @property
    def run(self) -> Any:
        """What :func:`~dsnswitch.sim.network.experiment.plots.load_plot` draws, of one seed."""
        return run_of({"points": self.points, "saturation": self.about["saturation"]})


def _saturation(curve, state):
    """The loads at which a curve saturates; None for fixed loads."""
    if isinstance(curve.loads, tuple):
        return None
    interval, full = curve.refined(state.rows)[1], state.rows.get(1.0)
    stable = precision = None
    if interval:
        low, high = interval
        stable, precision = round((low + high) / 2, 6), round((high - low) / 2, 6)
    return {
        "stable": stable,
        # A range without an unstable load bounds the saturation, but has no value of it that others could compare or draw.
        "at_least": curve.loads.lower_bound(state.rows, lambda row: is_stable(row, curve.rules)),
        "precision": precision,
        "over": full and full["accepted"],
        "slowest_2_percent": (full or {}).get("fairness", {}).get("slowest_2_percent"),
    }


def index(sweep) -> Any:
    """The index of a :class:`~dsnswitch.lab.sweep.run.Sweep`: every curve, with the hash of each point that is stored."""
    curves = []
    for curve, state in zip(sweep.plan.curves, sweep.states):
        one = curve.experiment
        stored = sorted(load for load, row in state.rows.items() if row is not None)
        curves.append(
            {
                "label": curve.label,
                "series": curve.series,
                "alike": curve.alike,
                "inputs": curve.inputs,
                "routing": one.routing,
                "core": one.values,
                "parameters": curve.parameters,
                "network": {
                    "topology": one.network.spelling,
                    "title": one.network.title,
                    "switches": one.network.nodes,
                    "hosts": one.hosts,
                },
                "traffic": one.traffic,
                "rules": asdict(curve.rules),
                "saturation": _saturation(curve, state),
                "points": [
                    {
                        "load": load,
                        "result": state.hashes[load],
                        **({"stable": is_stable(state.rows[load], curve.rules)} if one.loads else {}),
                    }
                    for load in stored
                ],
                "errors": [{"load": load, "error": text} for load, text in sorted(state.errors.items())],
            }
        )
    return {
        "format": "dsnswitch-sweep",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "title": sweep.plan.title,
        "curves": curves,
    }


def write_index(folder, sweep) -> None:
    """Write the index to the folder of a sweep."""
    make_folder(folder)
    write_text(Path(folder) / INDEX, json.dumps(index(sweep), indent=1) + "\n")


def read_sweep(folder) -> Any:
    """``(title, [Found])`` of a folder that ``dsnswitch sweep run`` wrote."""
    found = read_json(Path(folder) / INDEX, "Index of a sweep")
    if not isinstance(found, dict) or found.get("format") != "dsnswitch-sweep":
        raise UsageError(f"Index of a sweep {Path(folder) / INDEX} is not one of dsnswitch sweep run")
    store, curves = Store(folder), []
    for about in found["curves"]:
        points = [store.get(one["result"]) for one in about["points"]]
        if None in points:
            raise UsageError(f"Sweep {folder} lacks results of {about['label']}; run it again")
        curves.append(Found(about, points))
    return found["title"], curves


def rows(curves) -> list[dict]:
    """A line ``{column: value}`` for each point of all curves, with the same columns."""
    found = []
    for curve in curves:
        inputs = _DEFAULTS | curve.about["inputs"] | curve.about["parameters"]
        head = {"curve": curve.label, "series": curve.about["series"]}
        head |= {key: curve.about["network"][key] for key in ("topology", "switches", "hosts")}
        head["routing"] = curve.about["routing"]
        head |= {key: _cell(value) for key, value in inputs.items() if key not in head}
        saturation = curve.about["saturation"] or {}
        stable, bound = saturation.get("stable"), saturation.get("at_least")
        value = stable if bound is None else bound
        tail = {
            "saturation_stable": value,
            "saturation_is_lower_bound": None if value is None else int(bound is not None),
            "saturation_over": saturation.get("over"),
        }
        for one, point in zip(curve.about["points"], curve.points):
            found.append({**head, **csv_row(point), "stable": int(one.get("stable", True)), **tail})
    keys = dict.fromkeys(key for row in found for key in row)
    return [{key: row.get(key) for key in keys} for row in found]


def _cell(value):
    return " ".join(map(str, value)) if isinstance(value, list) else json.dumps(value) if isinstance(value, dict) else value


def csv_table(curves) -> str:
    """All points as CSV; an absent value is empty."""
    found = rows(curves)
    return csv_text([found[0] if found else (), *(row.values() for row in found)])


def parquet_table(curves):
    """All points as the bytes of a Parquet file. A column of numbers and texts is a column of texts."""
    import pyarrow
    from pyarrow import parquet

    found = rows(curves)
    table = {}
    for key in found[0] if found else ():
        column = [row[key] for row in found]
        if any(isinstance(value, str) for value in column):
            column = [None if value is None else str(value) for value in column]
        elif any(isinstance(value, float) for value in column):
            column = [None if value is None else float(value) for value in column]
        table[key] = column
    out = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(table), out)
    return out.getvalue().to_pybytes()


def kept(sweep) -> str:
    """How many points of a :class:`~dsnswitch.lab.sweep.run.Sweep` are stored, of how many, as text."""
    about = "" if sweep.plan.is_exact else "about "
    return f"{sweep.kept} of {about}{max(sweep.kept, sweep.plan.expected)} points"


def summary(sweep) -> list[str]:
    """Lines that state for each curve its points and where it saturates, or the completion time of an exchange in cycles."""
    heads = ["curve", "points", "stable", "over", "completion"]
    lines = []
    for about, state in zip(index(sweep)["curves"], sweep.states):
        over = (about["saturation"] or {}).get("over")
        # The load of an exchange is 0.
        completion = (state.rows.get(0.0) or {}).get("completion")
        lines.append(
            [
                about["label"],
                str(len(about["points"])),
                _stable(about["saturation"]),
                "-" if over is None else f"{over:.4f}",
                "-" if completion is None else f"{completion} cycles",
            ]
        )
    if all(line[-1] == "-" for line in lines):
        heads, lines = heads[:-1], [line[:-1] for line in lines]
    return columns([heads, *lines])


def _stable(found):
    """The stable saturation as text: a value, or a lower bound of it."""
    if found and found["stable"] is not None:
        return f"{found['stable']:.4f} +-{found['precision']:.4f}"
    if found and found["at_least"] is not None:
        return f">= {found['at_least']:.4f}"
    return "-"
