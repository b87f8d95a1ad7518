"""Pieces of Markdown, and the marks between which a page is generated."""

import re
import textwrap

from ..errors import UsageError

__all__ = ["filled", "paragraph", "parts", "table"]

#: A part that is generated: its name, and what stands there now.
_PART = re.compile(r"<!-- figures: ([a-z0-9-]+) -->\n(.*?)\n?<!-- /figures -->", re.DOTALL)

#: A mark of either kind.
_MARK = re.compile(r"<!-- /?figures[^>]*-->")


def table(heads, body):
    """A table; cells are text."""
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *body)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])


def paragraph(text, indent=""):
    """Text in lines of at most 120 characters; ``indent`` begins all lines but the first."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def parts(text, page):
    """Generated parts of a page: ``{name: text}``.

    Raises
    ------
    UsageError
        If a mark has no other end, or a name comes twice.
    """
    found = dict(_PART.findall(text))
    if 2 * len(found) != len(_MARK.findall(text)):
        raise UsageError(f"{page} has a figures marker that occurs twice or has no end")
    return found


def filled(text, new):
    """A page's text with the parts ``new`` in place of the old."""
    return _PART.sub(lambda match: f"<!-- figures: {match[1]} -->\n{new[match[1]]}\n<!-- /figures -->", text)
