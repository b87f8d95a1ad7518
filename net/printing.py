"""Tables as text: columns for readers, CSV for programs; and what a program has said last."""

import csv
import io
from collections.abc import Iterable, Sequence


def columns(lines: Sequence[Sequence[str]], right: bool = False) -> list[str]:
    """Lines of cells with aligned columns; ``right`` aligns all but the first at their right ends."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    form = [f"{{:{'>' if right and place else '<'}{width}}}" for place, width in enumerate(widths)]
    return ["  ".join(one.format(cell) for one, cell in zip(form, line)).rstrip() for line in lines]


def csv_text(rows: Iterable[Iterable]) -> str:
    """Rows as CSV; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def last_line(text: str) -> str:
    """The last line that a program printed, for a message that it has failed."""
    return (text.strip().splitlines() or ["no message"])[-1]
