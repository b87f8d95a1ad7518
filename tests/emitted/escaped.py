"""Escaped names: Yosys escapes keywords, and all but the first of equal names in a module."""

import re


def check_names(text):
    """``text``, emitted Verilog, which must have no escaped name."""
    found = re.search(r"\\\S+", text)
    assert not found, f"emitted Verilog has the escaped name {found[0]}"
    return text
