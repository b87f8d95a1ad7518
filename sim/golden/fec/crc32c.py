"""Model of CRC-32C by its definition, as the remainder of a division of polynomials, and of the check of a packet.

It is independent of the hardware, which sums bits: a message is a polynomial whose first bit is the highest power.
"""

#: The polynomial: bit i is the coefficient of x^i.
GENERATOR = 0x11EDC6F41

WIDTH = 32


def crc(message, bits):
    """CRC-32C of a message of some bits, bit 0 first: bit 0 of the result is sent first."""
    ones = (1 << WIDTH) - 1
    # The initial register adds ones to the first 32 bits of the message, followed by 32 zeros.
    dividend = _reversed(message, bits) << WIDTH ^ ones << bits
    while dividend.bit_length() > WIDTH:
        dividend ^= GENERATOR << dividend.bit_length() - GENERATOR.bit_length()
    return _reversed(dividend ^ ones, WIDTH)


def _reversed(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2) if bits else 0


class PacketCheck:
    """The check of a packet as the manifest of a switch states it. Flits are their data, as numbers."""

    @classmethod
    def of(cls, manifest):
        """The check that a manifest states; None without one."""
        return cls(manifest) if "end_to_end" in manifest else None

    def __init__(self, manifest):
        about = manifest["end_to_end"]
        header = {field["name"]: field["bits"] for field in manifest["header"]}
        skipped = [header[name] for name in about["not_covered"]]
        self._flit = manifest["parameters"]["flit"]
        self._carried = self._head = (1 << about["head_bits"]) - 1
        for low, high in skipped:
            self._head &= ~((1 << high + 1) - (1 << low))
        self._last, self._only = about["last_flit"], about["only_flit"]

    def place(self, flits):
        """First bit of the check in the last flit of a packet of ``flits`` flits; None if the packet has no check."""
        bits = self._last if flits > 1 else self._only
        return bits and bits[0]

    def value(self, words):
        """The check of the packet."""
        message = 0
        for number, word in enumerate([words[0] & self._head, *words[1:]]):
            message |= word << number * self._flit
        place = self.place(len(words)) + (len(words) - 1) * self._flit
        message &= ~((1 << WIDTH) - 1 << place)
        bits = len(words) * self._flit - WIDTH
        return crc(message & (1 << bits) - 1, bits)

    def stamped(self, words):
        """The flits of the packet with its check, if it has one, and 0 in the bits of the head that no line carries."""
        words, place = [words[0] & self._carried, *words[1:]], self.place(len(words))
        return words if place is None else [*words[:-1], self._with(words[-1], place, self.value(words))]

    @staticmethod
    def _with(word, place, value):
        return word & ~((1 << WIDTH) - 1 << place) | value << place
