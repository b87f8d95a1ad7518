"""SECDED codec in plain integers, by the definition of the code. No Amaranth."""

from typing import NamedTuple

from dsnswitch.hdl.fec.secded.parameters import SecdedCode

__all__ = ["Decoded", "decode", "encode", "syndrome"]


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    data : int
        Data bits: corrected, or as received if ``uncorrectable``.
    corrected : bool
        One bit of the codeword was wrong.
    uncorrectable : bool
        More than one bit is wrong.
    position : int or None
        Index of the corrected bit; None if no bit was corrected.
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
    """Decode ``word``; returns a :class:`Decoded`.

    Every syndrome that is neither 0 nor a column of the code is uncorrectable, whether it is odd or even.
    """
    value = syndrome(code, word)
    data = word & (1 << code.k) - 1
    if value == 0:
        return Decoded(data, False, False, None)
    if value not in code.columns:
        return Decoded(data, False, True, None)
    position = code.columns.index(value)
    return Decoded(data ^ (1 << position) & (1 << code.k) - 1, True, False, position)
