"""Model of 256b/257b (IEEE 802.3 Clause 91) on lists of bits: it removes and inserts the bits that the clause names."""

from dsnswitch.sim.golden.pcs.pcs66 import CONTROL, DATA

_TYPES = (0x1E, 0x2D, 0x33, 0x4B, 0x55, 0x66, 0x78, 0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF)
INVALID = 0b11


def bits_of(number, width):
    """Bits of an integer, lowest first."""
    digits = format(number & (1 << width) - 1, f"0{width}b").encode()
    return [digit & 1 for digit in reversed(digits[:width])]


def number_of(bits):
    """Integer of bits, lowest first."""
    return int(bytes([ord("0") | bit for bit in reversed(bits)]) or b"0", 2)


def compress(blocks):
    """``(is data, 256 bits)`` of four blocks ``(header, payload)``."""
    payload = [bit for _, number in blocks for bit in bits_of(number, 64)]
    headers = [header for header, _ in blocks]
    if all(header == DATA for header in headers):
        return True, payload
    if any(header not in (CONTROL, DATA) for header in headers):
        flags, first = [1, 1, 1, 1], 0
    else:
        flags = [int(header == DATA) for header in headers]
        first = flags.index(0)
    del payload[64 * first + 4 : 64 * first + 8]
    return False, flags + payload


def expand(is_data, body):
    """Four blocks of the result of :func:`compress`, which may have wrong bits."""
    if is_data:
        return [(DATA, number_of(body[64 * place : 64 * place + 64])) for place in range(4)]
    flags, payload = body[:4], body[4:]
    if flags == [1, 1, 1, 1]:
        return [(INVALID, number_of((payload + [0] * 4)[64 * place : 64 * place + 64])) for place in range(4)]
    first = flags.index(0)
    low = number_of(payload[64 * first : 64 * first + 4])
    high = [byte >> 4 for byte in _TYPES if byte & 0xF == low]
    payload[64 * first + 4 : 64 * first + 4] = bits_of(high[0] if high else 0, 4)
    headers = [DATA if flag else CONTROL for flag in flags]
    if not high:
        headers[first] = INVALID
    return [(headers[place], number_of(payload[64 * place : 64 * place + 64])) for place in range(4)]


def transmit(blocks):
    """The 257 bits of four blocks as an integer, with bits 8..12 added to bits 0..4."""
    is_data, body = compress(blocks)
    bits = [int(is_data), *body]
    return number_of([bit ^ other for bit, other in zip(bits[:5], bits[8:13])] + bits[5:])


def receive(block):
    """The four blocks of 257 bits."""
    bits = bits_of(block, 257)
    bits[:5] = [bit ^ other for bit, other in zip(bits[:5], bits[8:13])]
    return expand(bool(bits[0]), bits[1:])
