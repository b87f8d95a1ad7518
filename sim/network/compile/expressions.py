"""LUTs as expressions of C++."""

from collections.abc import Sequence

__all__ = ["expression", "permuted"]


def expression(table: int, operands: Sequence[str]) -> str:
    """A LUT as an expression of its operands; bit i of the table is its value for operand k equal to bit k of i."""
    if len(operands) == 1:
        return operands[0] if table == 2 else f"~{operands[0]}"
    if len(operands) == 2:
        return _of_two(table, *operands)
    # The instruction's table counts its operands from the other end.
    imm = sum((table >> i & 1) << (i & 1) * 4 + (i >> 1 & 1) * 2 + (i >> 2 & 1) for i in range(8))
    return f"lut<{imm}>({', '.join(operands)})"


def permuted(table: int, inputs: Sequence[int], order: Sequence[int]) -> int:
    """The table of a LUT whose inputs are put in another order."""
    found = 0
    for spelling in range(1 << len(inputs)):
        index = sum((spelling >> order.index(net) & 1) << place for place, net in enumerate(inputs))
        found |= (table >> index & 1) << spelling
    return found


def _of_two(table, a, b):
    """An expression of two operands; bit i of the table is the value for a = i & 1, b = i >> 1."""
    return {
        0b1000: f"{a} & {b}",
        0b0111: f"~({a} & {b})",
        0b1110: f"{a} | {b}",
        0b0001: f"~({a} | {b})",
        0b0110: f"{a} ^ {b}",
        0b1001: f"~({a} ^ {b})",
        0b0010: f"{a} & ~{b}",
        0b0100: f"~{a} & {b}",
        0b1011: f"{a} | ~{b}",
        0b1101: f"~{a} | {b}",
    }[table]
