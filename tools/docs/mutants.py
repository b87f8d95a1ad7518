"""The table of generated mutants, from ``docs/mutants.json``, the result of a run of ``make mutants``."""

import json
from collections import Counter
from pathlib import Path

from tools.docs import markdown

PATH = Path(__file__).resolve().parents[2] / "docs" / "mutants.json"

#: Heading of each column -> verdict.
COLUMNS = {
    "no effect: proved": "no effect",
    "caught by `make test`": "test",
    "only by `make regress`": "regress",
    "explained": "explained",
    "not yet": "survived",
}


def _verdict(row):
    if row["verdict"] in ("caught", "timeout"):
        return row["tier"]
    return "explained" if "note" in row else row["verdict"]


def share(rows):
    """Percentage of the mutants with an effect that are caught."""
    verdicts = Counter(map(_verdict, rows))
    caught = verdicts["test"] + verdicts["regress"]
    return 100 * caught / max(1, caught + verdicts["survived"])


def table(rows):
    """Verdicts per directory of ``hdl``."""
    counts = {}
    for row in rows:
        folder = "/".join(row["file"].split("/")[:2])
        counts.setdefault(folder, Counter())[_verdict(row)] += 1
    lines = [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]
    body = [[name, count.total(), *(count[key] for key in COLUMNS.values())] for name, count in lines]
    return markdown.table(["directory", "generated", *COLUMNS], [list(map(str, cells)) for cells in body])


def recorded(store):
    """The table of the recorded mutants."""
    return table(json.loads(PATH.read_text(encoding="utf-8")))


PARTS = {"mutants": recorded}
