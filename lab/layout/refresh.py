"""Lays out the designs of the pages whose RTL has changed, and draws the picture."""

from pathlib import Path

from dsnswitch.gen.writing import write_files
from dsnswitch.lab.layout.drawing import drawing, png
from dsnswitch.lab.layout.flow import lay_out
from dsnswitch.lab.layout.measured_set import DESIGNS, PICTURE, fingerprint, subject
from dsnswitch.lab.layout.report import figures
from dsnswitch.lab.layout.store import PATH, load

__all__ = ["PICTURE_FILE", "refresh", "stale"]

#: The picture, relative to the repository.
PICTURE_FILE = "docs/pictures/layouts.png"


def stale(layouts):
    """Names of :data:`DESIGNS` whose figures are missing or belong to other RTL."""
    return [name for name in DESIGNS if layouts.blocks.get(name, {}).get("fingerprint") != fingerprint(name)]


def refresh(root, bar, quiet):
    """Make every figure under the folder ``root`` current. The file is written after each layout, so a run can be continued.

    ``bar(items, label)`` puts a progress bar around an iterable. ``quiet`` has the same parameters and shows no bar.
    """
    layouts = load(Path(root, PATH))
    todo, picture = stale(layouts), Path(root, PICTURE_FILE)
    if not picture.exists() or set(todo) & set(PICTURE):
        todo += [name for name in PICTURE if name not in todo]
    drawings = {}
    with bar(todo, f"{len(todo)} layouts") as names:
        for name in names:
            layout = lay_out(subject(name), quiet)
            layouts.blocks[name] = figures(layout) | {"fingerprint": fingerprint(name)}
            layouts.write()
            if name in PICTURE:
                drawings[name] = drawing(layout, PICTURE[name])
    layouts.blocks = {name: found for name, found in layouts.blocks.items() if name in DESIGNS}
    layouts.write()
    if drawings:
        write_files(picture.parent, {picture.name: png([drawings[name] for name in PICTURE])})
    return layouts
