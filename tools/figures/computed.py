"""Figures that are computed and not measured: sizes and path lengths of DSNs, XORs of maps, entries of tables, MTTFPA."""

import dataclasses
from functools import partial

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats
from dsnswitch.hdl.gf.xor_network import shared
from dsnswitch.lab.codes.mttfpa import UNIVERSE, YEAR
from dsnswitch.lab.codes.rows import mttfpa_rows
from dsnswitch.net.analysis.faults import measure, spread
from dsnswitch.net.analysis.paths import statistics
from dsnswitch.net.files.parameters import network
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.tables.formulas import sizes
from tools.figures.fingerprint import source_hash
from tools.figures.kept import Kept
from tools.figures.store import plain

#: BER before SECDED(270,260) at which its BER after correction is 1e-9 and 1e-12.
MTTFPA_BERS = (1.928e-6, 6.097e-8)


#: Network, shares of failed links and seeds of the figures of random failures.
FAULTS = ("grid:8x16", (0.01, 0.05, 0.1, 0.15, 0.2), range(10))


def _faults():
    """For each share of failed links: mean, least and largest value of each field over the seeds."""
    spelling, shares, seeds = FAULTS
    rows = measure(network({"topology": spelling}), shares, seeds=seeds)
    return [[dataclasses.asdict(row) for row in spread(found)] for found in rows]


def _statistics(p):
    found = dataclasses.asdict(statistics(relation_of(network({"p": p}))))
    del found["worst_pair"]
    return found


def _maps():
    """XORs and levels of the linear maps of RS(528,514) with 16 symbols per cycle."""
    beats = Beats(NAMED["rs-528-514"], 16)
    rows = {"parity": beats.parity_map(), "syndromes": beats.syndrome_map()}
    networks = {name: shared(map_, beats.bits) for name, map_ in rows.items()}
    return {name: {"xors": network.gates, "levels": network.depth} for name, network in networks.items()}


def _mttfpa():
    """Years to a false packet with SECDED(270,260) at each of :data:`MTTFPA_BERS`, and the age of the universe in years.

    ``years`` has ``{assumption about wrong bits: {PCS: years}}`` for each BER, with the three digits that are equal on every
    machine.
    """
    years = []
    for ber in MTTFPA_BERS:
        found = {}
        for row in mttfpa_rows(ber):
            if row["code"].startswith("SECDED(270,260)"):
                found.setdefault(row["assumed"], {})[row["pcs"]] = float(f"{row['years']:.3g}")
        years.append(found)
    return {"before": MTTFPA_BERS, "years": years, "universe": float(f"{UNIVERSE / YEAR:.3g}")}


#: Name -> ``(function, modules whose code determines the value)``. ``dsnswitch check -p P`` prints the first ones.
COMPUTED = {
    **{
        f"dsn-{p}": (partial(_statistics, p), ("net.analysis.paths", "net.files.parameters", "net.routing.registry"))
        for p in range(2, 7)
    },
    "faults": (_faults, ("net.analysis.faults",)),
    "link-mttfpa": (_mttfpa, ("lab.codes.rows",)),
    "rs-maps": (_maps, ("hdl.fec.reed_solomon.code", "hdl.gf.xor_network")),
    "table-sizes": (sizes, ("net.tables.formulas",)),
}


def stale_computed(store, bar, kept=None):
    """Names in :data:`COMPUTED` whose recorded values are missing or wrong.

    A value is only computed if the code that determines it has changed since it was recorded, and the value is not ``kept``.
    """
    found, asked, kept = [], [], kept or Kept()
    for name, (_, modules) in COMPUTED.items():
        known = store.computed.get(name)
        if known is None:
            found.append(name)
        elif known["sources"] != source_hash(*modules):
            asked.append((name, f"{name} {source_hash(*modules)}"))
    if asked:
        with bar(asked, "computed figures") as items:
            found += [
                name for name, key in items if kept.of(key, partial(_computed, name)) != store.computed[name]["value"]
            ]
    return found


def refresh_computed(store, bar):
    """Compute the values that are missing, and those whose code has changed."""
    with bar(COMPUTED, "computed figures") as items:
        for name in items:
            sources = source_hash(*COMPUTED[name][1])
            if store.computed.get(name, {}).get("sources") != sources:
                store.computed[name] = {"sources": sources, "value": _computed(name)}


def _computed(name):
    return plain(COMPUTED[name][0]())
