"""The tables of the protected format as a page: what a stranger needs to read such a block."""

from ...hdl.pcs.block_types import BLOCK_TYPES, type_byte
from ...hdl.pcs.characters import SHORT_CODES
from ...hdl.pcs.pcs260.framing import ERROR_WORD, LAYOUTS, arguments, fields

__all__ = ["protected_format"]

_CHARACTERS = {0x07: "idle", 0x06: "low power idle", 0xFE: "error"}


def protected_format():
    """Markdown of the page ``docs/pcs260-protected.md``."""
    codes = ", ".join(f"{_CHARACTERS.get(octet, f'{octet:02x}')} {code:x}" for octet, code in SHORT_CODES.items())
    return f"""# Protected format of 256b/260b: tables

Written by `make schemas` from `hdl/pcs/pcs260/framing.py`; [pcs.md](pcs.md) explains them.

## Fields

A field has four bits of information, n; it is sent as the octet with low nibble n:

{_table(["n", *(f"{n:x}" for n in range(16))], [["octet", *(f"{type_byte(n):02x}" for n in range(16))]])}

Information of fields 1, 2 and 3 of each word. p: place of the word in the block, 0..3. d: words of data that follow it, to the
next word that is not data or the end of the block. o0, o4: 0 for a sequence ordered set (9c) in that lane, 1 for a signal (5c).
What is not listed does not exist; a block with it is in error, as is one whose words do not fill it.

{_table(["word", "lanes 0..7", "field 1", "field 2", "field 3"], [_information(name) for name in LAYOUTS])}

## Slots

Octets 0..7 of the slot of each word. F1, F2, F3: fields. D0..D7: octet of that lane. C67: codes of the control characters in
lanes 6 (low nibble) and 7; a point is no lane. -: sent as 0, not looked at.

{_table(["word", *map(str, range(8))], [[name, *octets] for name, octets in LAYOUTS.items()])}

Codes of control characters: {codes}. Any other makes the word an error.
"""


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _information(name):
    lanes = next((kind.lanes for kind in BLOCK_TYPES if kind.name == name), "error")
    told = list(arguments(name))
    columns = []
    for number in range(3):
        values = [fields(name, **one)[number : number + 1] for one in told]
        columns.append(_formula(name, told, [value for (value,) in values]) if all(values) else "")
    return ["E, error" if name == ERROR_WORD else name, lanes, *columns]


def _formula(name, told, values):
    """The values as a constant and so much for each argument."""
    first, letters = told[0], {"data": "d", "place": "p", "set0": "o0", "set4": "o4"}
    by_argument = {tuple(one.items()): value for one, value in zip(told, values)}
    weights = {key: by_argument.get(tuple((first | {key: 1}).items()), values[0]) - values[0] for key in letters}
    assert values == [values[0] + sum(weights[key] * one[key] for key in letters) for one in told], name
    parts = [letters[key] if weight == 1 else f"{weight} {letters[key]}" for key, weight in weights.items() if weight]
    return " + ".join([str(values[0])] * (values[0] > 0 or not parts) + parts)
