"""The page with the tables of the protected format, which are sufficient to build another receiver."""

from dsnswitch.hdl.pcs.characters import BLOCK_TYPES, SHORT_CODES, type_byte
from dsnswitch.hdl.pcs.pcs260.framing import ERROR_WORD, LAYOUTS, arguments, fields
from dsnswitch.lab.docs.markdown import paragraph

__all__ = ["protected_format"]

_CHARACTERS = {0x07: "idle", 0x06: "low power idle", 0xFE: "error"}


def protected_format():
    """Markdown of the page ``docs/pcs260-protected.md``."""
    codes = ", ".join(f"{_CHARACTERS.get(octet, f'{octet:02x}')} {code:x}" for octet, code in SHORT_CODES.items())
    return f"""# Protected format of 256b/260b: tables

This page specifies the blocks of the protected format for those who build another transmitter or receiver.
[pcs.md](pcs.md) explains the format. `make schemas` writes this page from `hdl/pcs/pcs260/framing.py`.

## Fields

A field has four bits of information, n. It is sent as the octet with low nibble n:

{_table(["n", *(f"{n:x}" for n in range(16))], [["octet", *(f"{type_byte(n):02x}" for n in range(16))]])}

The next table gives the information of fields 1, 2 and 3 of each word.

- p is the position of the word in the block, 0..3.
- d is the number of data words that follow the word, up to the next word that is not data or the end of the block.
- o0 and o4 are 0 for a sequence ordered set (9c) in that lane, and 1 for a signal ordered set (5c).

No other values exist. A block with another value is in error, and so is a block whose words do not fill it.

{_table(["word", "lanes 0..7", "field 1", "field 2", "field 3"], [_information(name) for name in LAYOUTS])}

## Slots

The table gives octets 0..7 of the slot of each word.

- F1, F2 and F3 are fields.
- D0 to D7 is the octet of that lane.
- C67 has the codes of the control characters in lanes 6 (low nibble) and 7. A point stands for no lane.
- An octet marked - is sent as 0 and ignored by the receiver.

{_table(["word", *map(str, range(8))], [[name, *octets] for name, octets in LAYOUTS.items()])}

{paragraph(f"The codes of control characters are: {codes}. Any other code makes the word an error.")}
"""


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _information(name):
    lanes = next((kind.lanes for kind in BLOCK_TYPES if kind.name == name), "error")
    options = list(arguments(name))
    columns = []
    for number in range(3):
        values = [fields(name, **one)[number : number + 1] for one in options]
        columns.append(_formula(name, options, [value for (value,) in values]) if all(values) else "")
    return ["E, error" if name == ERROR_WORD else name, lanes, *columns]


def _formula(name, options, values):
    """A formula for ``values``: the sum of a constant and a multiple of each argument."""
    first, letters = options[0], {"data": "d", "place": "p", "set0": "o0", "set4": "o4"}
    by_argument = {tuple(one.items()): value for one, value in zip(options, values)}
    weights = {key: by_argument.get(tuple((first | {key: 1}).items()), values[0]) - values[0] for key in letters}
    assert values == [values[0] + sum(weights[key] * one[key] for key in letters) for one in options], name
    parts = [letters[key] if weight == 1 else f"{weight} {letters[key]}" for key, weight in weights.items() if weight]
    return " + ".join([str(values[0])] * (values[0] > 0 or not parts) + parts)
