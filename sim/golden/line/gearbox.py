"""Model of the gearbox: it joins all bits to one sequence and cuts it into words of the new width."""


def regroup(words, into, out, group=None):
    """Words of ``out`` bits from ``words`` of ``into`` bits, bit 0 of each first. Bits that do not fill a word are dropped.

    With ``group``, each group of that many bits begins with a new word on both sides: padding of its last word is dropped
    at the input and is 0 at the output.
    """
    count = -(-group // into) if group else len(words)
    result = []
    for start in range(0, len(words) - count + 1, count) if group else (0,):
        bits = "".join(f"{word:0{into}b}"[::-1] for word in words[start : start + count])[:group]
        if group:
            bits = bits.ljust(-(-len(bits) // out) * out, "0")
        result += [int(bits[start : start + out][::-1], 2) for start in range(0, len(bits) - out + 1, out)]
    return result
