"""Markdown tables and paragraphs, and the markers around the generated parts of a page."""

import re
import textwrap

from dsnswitch.net.messages import UsageError

#: A generated part of a page: its name and its present text.
_PART = re.compile(r"<!-- figures: ([a-z0-9-]+) -->\n(.*?)\n?<!-- /figures -->", re.DOTALL)

#: A marker at the beginning or the end of a part.
_MARK = re.compile(r"<!-- /?figures[^>]*-->")


def table(heads, body):
    """A Markdown table with the headings ``heads`` and the rows ``body``, whose cells are text."""
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *body)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])


def paragraph(text, indent=""):
    """Text wrapped to at most 120 characters per line; ``indent`` is added before all lines but the first."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def parts(text, page):
    """Generated parts of a page: ``{name: text}``.

    Raises :class:`UsageError` if a marker has no end, or a name occurs twice.
    """
    found = dict(_PART.findall(text))
    if 2 * len(found) != len(_MARK.findall(text)):
        raise UsageError(f"{page} has a figures marker that occurs twice or has no end")
    return found


def filled(text, new):
    """The text of a page in which each generated part is replaced by ``new[name]``."""
    return _PART.sub(lambda match: f"<!-- figures: {match[1]} -->\n{new[match[1]]}\n<!-- /figures -->", text)
