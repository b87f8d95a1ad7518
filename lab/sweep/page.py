"""Plots of a sweep: latency against load, heat maps of links, and a page with all points that needs no network access."""

import html
import json
import math
import xml.etree.ElementTree as ET
from importlib.resources import files

from dsnswitch.lab.sweep.heat import COLOURS as SHADES
from dsnswitch.lab.sweep.heat import heat_map, link_loads, plain_picture
from dsnswitch.net.files.parameters import network
from dsnswitch.net.files.plotting import COLOURS
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.plots import load_plot
from dsnswitch.sim.network.experiment.results import STATISTICS

__all__ = ["plots"]

#: Loads of links in a page. Beyond them, a curve has those of its greatest stable load only.
MOST_LOADS = 1_000_000


def _shown(curve):
    """Index of the point whose links are shown first: the greatest load below saturation, else the first one."""
    end = (curve.about["saturation"] or {}).get("stable") or 1
    stable = [place for place, one in enumerate(curve.about["points"]) if one.get("stable") and one["load"] <= end]
    return stable[-1] if stable else 0


def _at(curve, place):
    load = curve.about["points"][place]["load"]
    return f"{curve.shown} at load {load:g}" if load else curve.shown


def plots(title, curves) -> dict[str, str]:
    """``{file name: text}``: ``latency.svg``, ``links-N.svg`` for each curve below its saturation, and ``index.html``."""
    curves = [curve for curve in curves if curve.points]
    if not curves:
        raise UsageError("A plot needs at least one point, and the sweep has none")
    found = {}
    loaded = {}
    for curve in curves:
        if "load" in curve.points[0]:
            loaded.setdefault(curve.alike, []).append(curve.run)
    if loaded:
        found["latency.svg"] = load_plot(title, loaded)
    top = max((max(curve.points[_shown(curve)]["links"], default=0) for curve in curves), default=0)
    top = max(0.1, math.ceil(10 * top - 1e-9) / 10)
    networks, pictures = {}, {}
    for number, curve in enumerate(curves, 1):
        spelt = curve.about["network"]["topology"]
        if spelt not in networks:
            networks[spelt] = network(curve.about["core"])
            try:
                pictures[spelt] = plain_picture(networks[spelt])
            except UsageError:
                # There is no picture of this network.
                pictures[spelt] = None
        place = _shown(curve)
        # Loads of the links of whole switches are not known.
        if pictures[spelt] and curve.points[place]["links"]:
            found[f"links-{number}.svg"] = heat_map(
                networks[spelt], curve.points[place]["links"], f"Loads of links: {_at(curve, place)}", top
            )
    return found | {"index.html": _page(title, curves, networks, pictures, top)}


def _page(title, curves, networks, pictures, top):
    """The page: a template with the points as JSON, and the picture of each network."""
    every = sum(len(point["links"]) for curve in curves for point in curve.points) <= MOST_LOADS
    data = {"title": title, "top": top, "colours": SHADES, "inks": COLOURS, "quantities": STATISTICS, "curves": []}
    for curve in curves:
        spelt = curve.about["network"]["topology"]
        points = []
        for place, (one, point) in enumerate(zip(curve.about["points"], curve.points)):
            row = {"load": one["load"], "stable": one.get("stable", True), "packets": point["packets"]}
            row |= {key: point.get(key) for key in ("offered", "accepted", "completion", "confidence")}
            row |= {key: point["latency"]["queued_tail"][key] for key in STATISTICS}
            row["hops"] = point["hops"]["mean"]
            if pictures[spelt] and point["links"] and (every or place == _shown(curve)):
                loads = link_loads(networks[spelt], point["links"])
                row["links"] = [round(1000 * loads[pair]) for _, pair in pictures[spelt][1]]
            points.append(row)
        about = {key: curve.about[key] for key in ("series", "saturation", "errors")}
        about |= {"label": curve.shown, "alike": curve.alike}
        data["curves"].append({**about, "network": spelt, "shown": _shown(curve), "points": points})
    maps = "".join(
        f'<div class="map" data-network="{html.escape(spelt)}" hidden>{ET.tostring(one[0], encoding="unicode")}</div>\n'
        for spelt, one in pictures.items()
        if one
    )
    text = files("dsnswitch.lab.sweep").joinpath("page.html").read_text(encoding="utf-8")
    # A script ends at </, also within a string.
    parts = {"TITLE": html.escape(title or "Sweep"), "MAPS": maps, "DATA": json.dumps(data).replace("<", "\\u003c")}
    for name, part in parts.items():
        text = text.replace(f"%{name}%", part)
    return text
