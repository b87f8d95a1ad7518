"""The score of a list of mutants: the number that the tests catch, per directory."""

import json
from collections import Counter

__all__ = ["Score"]


class Score:
    """Outcomes of mutants in the order of the list.

    Parameters
    ----------
    rows : list of (Mutant, Outcome)
    """

    def __init__(self, rows):
        self.rows = rows

    @property
    def percent(self):
        """Percentage of mutants that are caught."""
        caught = sum(outcome.result in ("caught", "timeout") for _, outcome in self.rows)
        return 100 * caught / max(1, len(self.rows))

    def listed(self, *results):
        """Mutants with one of these results."""
        return [(mutant, outcome) for mutant, outcome in self.rows if outcome.result in results]

    def text(self):
        """A table of the directories, and every mutant that survived, timed out or could not run."""
        lines = [f"{'directory':32}{'mutants':>8}{'caught':>8}{'survived':>10}{'seconds':>9}"]
        names = dict.fromkeys(mutant.subject for mutant, _ in self.rows)
        for name in names:
            lines.append(self._row(name, [row for row in self.rows if row[0].subject == name]))
        lines.append(self._row("total", self.rows))
        for mutant, outcome in self.listed("survived", "timeout", "error"):
            lines.append(f"{outcome.result}: {mutant.name}: {mutant.fault}")
        lines.append(f"score: {self.percent:.1f} %")
        return "\n".join(lines)

    @staticmethod
    def _row(name, rows):
        results = Counter(outcome.result for _, outcome in rows)
        seconds = sum(outcome.seconds for _, outcome in rows)
        caught = results["caught"] + results["timeout"]
        return f"{name:32}{len(rows):8}{caught:8}{results['survived']:10}{seconds:9.0f}"

    def json(self):
        """The outcomes as text, with one object per mutant."""
        rows = [
            {
                "name": mutant.name,
                "file": mutant.path,
                "fault": mutant.fault,
                "result": outcome.result,
                "seconds": round(outcome.seconds, 1),
                "test": outcome.test,
            }
            for mutant, outcome in self.rows
        ]
        return json.dumps({"percent": round(self.percent, 1), "mutants": rows}, indent=1) + "\n"
