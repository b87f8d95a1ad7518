"""Words of one width from words of another: all bits in a row, cut anew."""

__all__ = ["regroup"]


def regroup(words, into, out, group=None):
    """Words of ``out`` bits from ``words`` of ``into`` bits, bit 0 of each first; what does not fill a word is left out.

    With ``group`` so many bits are taken from as many words as hold them, and cut into as many as hold them; what fills the
    last word is 0.
    """
    count = -(-group // into) if group else len(words)
    found = []
    for start in range(0, len(words) - count + 1, count) if group else (0,):
        bits = "".join(f"{word:0{into}b}"[::-1] for word in words[start : start + count])[:group]
        if group:
            bits = bits.ljust(-(-len(bits) // out) * out, "0")
        found += [int(bits[place : place + out][::-1], 2) for place in range(0, len(bits) - out + 1, out)]
    return found
