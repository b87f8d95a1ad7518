"""The report's page on layouts: Markdown with the recorded figures, and HTML that contains the picture."""

import base64

from dsnswitch.gen.version import __version__
from dsnswitch.lab.layout.comparisons import heads, rows, sentences
from dsnswitch.lab.layout.measured_set import DESIGNS
from dsnswitch.lab.layout.refresh import PICTURE_FILE, stale
from dsnswitch.lab.layout.report import conditions
from dsnswitch.lab.layout.store import PATH, load
from dsnswitch.lab.report.page import aligned_table, converted, template
from dsnswitch.net.errors import UsageError

__all__ = ["layout_pages"]


def layout_pages(root):
    """``{name: contents}`` of the page and its picture, with the figures of the repository ``root``.

    If there are no figures, the page names the command that measures them.
    """
    layouts, picture = load(root / PATH), root / PICTURE_FILE
    try:
        body = rows(layouts)
        compared = sentences(layouts)
    except UsageError as error:
        text = f"# dsnswitch: layouts\n\n{error}\n"
        return {"layouts.md": text, "layouts.html": converted(text, "dsnswitch: layouts")}
    text = template("layouts.md.jinja").render(
        table=aligned_table,
        generator=f"dsnswitch {__version__}",
        heads=heads(),
        rows=body,
        sentences=compared,
        conditions=conditions(),
        stale=", ".join(DESIGNS[name][0] for name in stale(layouts)),
    )
    html = converted(text, "dsnswitch: layouts")
    pages = {"layouts.md": text, "layouts.html": html}
    if picture.exists():
        image = picture.read_bytes()
        data = base64.b64encode(image).decode()
        pages["layouts.html"] = html.replace('src="layouts.png"', f'src="data:image/png;base64,{data}"')
        pages["layouts.png"] = image
    return pages
