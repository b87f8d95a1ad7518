"""SECDED on plain integers, straight from the definition. No Amaranth."""

from typing import NamedTuple

from .parameters import SecdedCode

__all__ = ["Decoded", "decode", "encode", "syndrome"]


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    data : int
        Data bits, corrected if ``corrected``.
    corrected : bool
        One bit, of data or check bits, was wrong.
    uncorrectable : bool
        More than one bit is wrong. The data are as received.
    position : int or None
        The bit that was corrected.
    """

    data: int
    corrected: bool
    uncorrectable: bool
    position: int | None


def encode(code: SecdedCode, data):
    """Codeword of ``data``.

    Raises
    ------
    ValueError
        If ``data`` is not a number of k bits.
    """
    if not 0 <= data < 1 << code.k:
        raise ValueError(f"SECDED data must have {code.k} bits, not {data.bit_length()}")
    check = sum(((data & row).bit_count() & 1) << j for j, row in enumerate(code.rows))
    return data | check << code.k


def syndrome(code: SecdedCode, word):
    """Syndrome of ``word``: 0 for a codeword."""
    return (encode(code, word & (1 << code.k) - 1) ^ word) >> code.k


def decode(code: SecdedCode, word):
    """:class:`Decoded` of ``word``: an odd syndrome that names no column is uncorrectable, as is every even one but 0."""
    found = syndrome(code, word)
    data = word & (1 << code.k) - 1
    if found == 0:
        return Decoded(data, False, False, None)
    if found not in code.columns:
        return Decoded(data, False, True, None)
    position = code.columns.index(found)
    return Decoded(data ^ (1 << position) & (1 << code.k) - 1, True, False, position)
