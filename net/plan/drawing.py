"""The picture of a floor plan: cabinets as boxes, and a line for each two cabinets with cables, as SVG or PNG."""

import io
from collections import Counter

import numpy as np

from dsnswitch.net.files.plotting import BLUE, new_figure, svg
from dsnswitch.net.messages import UsageError

#: Most lines of a picture, and dots per inch of a PNG.
MOST_LINES, DPI = 20_000, 150


def bundles(plan) -> list[tuple]:
    """``[(cabinet, cabinet, cables)]`` of the cables between cabinets, the shortest last, so that it is drawn on top."""
    pairs = np.sort(plan.mapping.cabinet[plan.ends[~plan.inside]], axis=1)
    lengths = {tuple(pair): far for pair, far in zip(pairs.tolist(), plan.lengths[~plan.inside].tolist())}
    found = Counter(map(tuple, pairs.tolist()))
    return [(*pair, found[pair]) for pair in sorted(found, key=lambda pair: (-lengths[pair], pair))]


def floor_picture(plan, form) -> bytes | str:
    """The plan as SVG text, or as the bytes of a PNG. A darker line stands for more cables; the plan is in metres."""
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Rectangle

    room, lines = plan.room, bundles(plan)
    if len(lines) > MOST_LINES:
        raise UsageError(f"A picture of a floor has at most {MOST_LINES} pairs of cabinets with cables, not {len(lines)}")
    columns, rows = plan.mapping.grid
    size = np.array((room.width, room.depth))
    corners = plan.mapping.spots * size
    head = f"{plan.network.spelling}: {len(plan.mapping.spots)} cabinets, mapping {plan.name}"
    scale = 9 / max(columns * room.width, rows * room.depth, 3)
    about = f"{len(plan.lengths)} cables, {plan.average:.2f} m on average, {plan.lengths.max(initial=0):.1f} m the longest"
    wide, high = columns * room.width * scale + 1, rows * room.depth * scale + 1.2
    figure, axes = new_figure(f"{head}\n{about}", max(6.4, wide), max(3.0, high))
    # A cabinet takes the width and half of the depth; the rest is the aisle.
    box = size * (0.86, 0.45)
    boxes = [Rectangle(corner - box / 2, *box) for corner in corners]
    axes.add_collection(PatchCollection(boxes, facecolor="#e2e8f0", edgecolor="#64748b", linewidth=0.6))
    if lines:
        most = max(count for *_, count in lines)
        # Cables along one row or column would cover each other: each line is bent to one side.
        paths = [arc(corners[a], corners[b]) for a, b, _ in lines]
        shade = [0.1 + 0.5 * count / most for *_, count in lines]
        axes.add_collection(LineCollection(paths, colors=BLUE, alpha=shade, linewidths=0.8))
    axes.set_xlim(-room.width / 2 - 0.6, (columns - 0.5) * room.width + 0.6)
    axes.set_ylim(rows * room.depth - room.depth / 2, -room.depth / 2 - 0.2)
    axes.set_aspect("equal")
    axes.grid(False)
    axes.set_xlabel("metres")
    if form == "svg":
        return svg(figure)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def arc(a, b) -> list:
    """Nine points of a line from ``a`` to ``b`` that is bent to one side."""
    along = b - a
    far = np.hypot(*along)
    way = np.linspace(0, 1, 9)[:, None]
    bend = 4 * way * (1 - way) * min(0.1 * far, 0.5 + 0.02 * far) / far
    return a + way * along + bend * np.array((-along[1], along[0]))
