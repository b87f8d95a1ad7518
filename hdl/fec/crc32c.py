"""CRC-32C of words that arrive one per cycle, as sums modulo 2. No Amaranth.

CRC-32C (Castagnoli) is the CRC of iSCSI (RFC 3720): polynomial 0x1EDC6F41, bit 0 of a byte first, initial register and final XOR
all ones. It detects every burst of up to 32 bits, five wrong bits in messages of up to 5,243 bits, and three in longer ones
(Koopman, 2002).
"""

from functools import cached_property, lru_cache

from dsnswitch.hdl.gf.xor_network import shared

#: Bits of a check.
BITS = 32

#: The polynomial without x^32; bit 31 - i is the coefficient of x^i.
_POLYNOMIAL = 0x82F63B78

#: Initial register, and what is added to the register at the end.
ONES = (1 << BITS) - 1


def shifted(register, count):
    """The register after ``count`` bits of 0."""
    for _ in range(count):
        register = register >> 1 ^ (_POLYNOMIAL if register & 1 else 0)
    return register


class WordCrc:
    """CRC-32C of messages that are words of ``width`` bits, without the last ``BITS`` bits of the last word.

    Between words, a register holds the CRC before the last ``BITS`` bits of a word, with these bits added. In each word, the
    *sum* of the other bits and of the register is the CRC before the last ``BITS`` bits; the check is its complement. So a
    message that ends with its check leaves a register of ones.

    Parameters
    ----------
    width : int
        Bits of a word, at least ``BITS``. Bit 0 is first.
    """

    def __init__(self, width):
        if width < BITS:
            raise ValueError(f"Words of CRC-32C must have at least {BITS} bits, not {width}")
        self.width = width

    @property
    def start(self):
        """What the initial register adds to the sum of the first word."""
        return shifted(ONES, self.width - BITS)

    def part(self, places):
        """:class:`XorNetwork` from the bits of a word at ``places``, below ``width - BITS``, to their part of the sum."""
        return _network(tuple(shifted(1, self.width - BITS - place) for place in places))

    @cached_property
    def register(self):
        """:class:`XorNetwork` from the register to its part of the sum."""
        return _network(tuple(shifted(1 << bit, self.width) for bit in range(BITS)))


@lru_cache(maxsize=8)
def _network(columns):
    """Network of the map with these columns: what each input contributes."""
    rows = [sum((column >> row & 1) << bit for bit, column in enumerate(columns)) for row in range(BITS)]
    return shared(rows, len(columns))
