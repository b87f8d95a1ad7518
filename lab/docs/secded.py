"""Generated parts of the page about SECDED."""

from types import SimpleNamespace

from dsnswitch.lab.docs.markdown import table
from dsnswitch.lab.report.tables import secded_rows as rows
from dsnswitch.lab.synth.measure import peers

__all__ = ["PARTS"]


def constructions(store):
    """The table that compares (270,260) with other constructions."""
    ours = [store.of({"block": f"secded-{side}", "n": 270, "k": 260}) for side in ("encoder", "decoder")]
    return table(*rows(SimpleNamespace(suite=ours, yardsticks=[store.of(block) for block in peers()])))


PARTS = {"constructions": constructions}
