"""Model of the fabric link's line format, in words of the media independent interface.

It reads a line with the model of the line's receiver, and uses neither bits nor fields of a block. So it reads the same words as
any receiver of 256b/260b, or of the strict or selected link. A frame begins with a start in word 1 and ends with a terminate in
lane 7 of word 0 of a later block.
"""

from collections import namedtuple
from functools import reduce
from operator import xor

from dsnswitch.sim.golden.line import selected, strict
from dsnswitch.sim.golden.pcs import pcs260
from dsnswitch.sim.golden.pcs.mii import FAULT, lanes, type_of

KINDS = ("hello", "credit", "head", "resume", "abort")

#: A block: ``kind`` is ``data`` or one of :data:`KINDS`, ``link`` the fields of its link word. ``channel`` and ``flit`` (data,
#: head, tail, bad) are None without a flit; ``details`` is a number.
Block = namedtuple("Block", "kind link channel flit details")

#: By format, whether it is strict: lanes that contain the octets of a link word or of details, in order, in a word with two
#: ordered sets, and in a word that ends a frame; lanes of the octets 0 to 7 of a word with data.
_SET_LANES = {False: (2, 3, 1, 5, 6, 7), True: (1, 2, 3, 5, 6, 7)}
_END_LANES = {False: (1, 2, 3, 4, 5, 6), True: (0, 1, 2, 4, 5, 6)}
_DATA_LANES = {False: (0, 1, 2, 3, 4, 5, 6, 7), True: (0, 4, 1, 2, 3, 5, 6, 7)}
#: Bits of a head flit in a block.
HEAD_BITS = 184


def _octets(word, wanted):
    characters = lanes(word)
    assert not any(characters[lane][1] for lane in wanted), f"control character where data should be: {word}"
    return [characters[lane][0] for lane in wanted]


def _number(octets):
    return int.from_bytes(bytes(octets), "little")


class LineReader:
    """Reads a line without errors as flits and link words. It raises AssertionError for every broken rule.

    Parameters
    ----------
    manifest : dict
        Manifest of the fabric port.
    codes : dict or None
        Of a strict or a selected link: ``{is strict: code}``.
    is_strict : bool
        First format of a selected link.
    """

    def __init__(self, manifest, codes=None, is_strict=True):
        fabric = manifest["fabric"]
        self._layout = {field["name"]: field["bits"] for field in fabric["link_word"]}
        self._codes = {name: fabric[f"{name}_code"] for name in ("link", "details", "header")}
        self._header = {field["name"]: field["bits"] for field in manifest["header"]}
        self._flit = manifest["parameters"]["flit"]
        link = fabric["link"]
        self.link = selected.Receiver(codes, is_strict) if link == "selected" else strict.Receiver(codes[True]) if codes else None
        self.pcs = pcs260.Receiver("protected")
        self._left, self._frame, self._open = {}, None, False

    def read(self, block):
        """The block as a :class:`Block`, or None while the receiver of 256b/260b has no lock."""
        locked = self.pcs.lock.locked
        words = self.pcs.step(block)
        return self._read(words) if locked else None

    def receive(self, line):
        """The blocks of all words of a strict or a selected link; None for each block without lock."""
        if isinstance(self.link, selected.Receiver):
            found = [one for one in selected.formats(line, self.link.is_strict) if isinstance(one, bool)]
            forms = [one for one in found for _ in range(selected.GROUPS[one][0])]
            groups = self.link.receive(line)
        else:
            whole = line[: len(line) - len(line) % strict.WORDS]
            groups = [words for decoded in self.link.decode(whole) for words in self.link.codeword(decoded)]
            forms = [True] * len(groups)
        return [None if words == [FAULT] * 4 else self._read(words, form) for words, form in zip(groups, forms)]

    @property
    def errors(self):
        """Blocks with wrong bits, or with words that a receiver of the line takes for errors."""
        parts = [self.pcs]
        if self.link:
            parts = [self.link.pcs] if isinstance(self.link, strict.Receiver) else [self.link.strict.pcs, self.link.light]
        names = ("errored_blocks", "header_errors", "corrected_blocks")
        return sum(getattr(part, name, 0) for part in parts for name in names)

    def _read(self, words, is_strict=False):
        """The block of four words."""
        types = [type_of(word) for word in words]
        if types == ["data"] * 4:
            assert self._frame is not None, "data outside a frame, or in one without flits"
            body = _number([octet for word in words for octet in _octets(word, _DATA_LANES[is_strict])])
            return self._data(body >> 72 | (body & (1 << 72) - 1) << HEAD_BITS)
        return self._control(words, is_strict)

    def _data(self, bits):
        """A flit that continues the packet of the frame."""
        channel = self._frame
        self._left[channel] -= 1
        assert self._left[channel] >= 0, "a flit after the last of its packet"
        assert not bits >> self._flit, "bits above the flit"
        return Block("data", None, channel, (bits, 0, int(not self._left[channel]), 0), None)

    def _control(self, words, is_strict):
        order, sets = _DATA_LANES[is_strict], _SET_LANES[is_strict]
        first, second, *rest = words
        ends = lanes(first)[7] == (0xFD, 1)
        assert ends == self._open, "a frame must end before the next control block, and only then"
        link = _number(_octets(first, _END_LANES[is_strict] if ends else sets))
        assert not self.syndrome("link", link), "check bits of a link word"
        values = {name: link >> low & (1 << high - low + 1) - 1 for name, (low, high) in self._layout.items()}
        kind = KINDS[values["kind"]]
        self._open = lanes(second)[0] == (0xFB, 1)
        assert self._open == (kind in ("head", "resume", "abort")), f"word 1 of a block for {kind}"
        self._frame = values["channel"] if kind in ("head", "resume") else None
        if kind == "head":
            octets = _octets(second, order[1:]) + [octet for word in rest for octet in _octets(word, order)]
            return Block(kind, values, values["channel"], self._head(_number(octets), values), None)
        if self._open:
            # Words of a frame have the details in octets 2 to 7.
            parts = [_octets(second, order[2:]), *(_octets(word, order[2:]) for word in rest)]
        else:
            parts = [_octets(word, sets) for word in (second, *rest)]
        details = _number([octet for part in parts for octet in part])
        assert not self.syndrome("details", details), "check bits of details"
        flit = (None, 0, 1, 1) if kind == "abort" else None
        return Block(kind, values, values["channel"] if flit else None, flit, details)

    def _head(self, bits, values):
        """The head flit, with the channel's number removed from its check bits."""
        low = self._header["check"][0]
        bits ^= self.mark(values["channel"]) << low
        length_low, length_high = self._header["length"]
        length = bits >> length_low & (1 << length_high - length_low + 1) - 1
        assert values["single"] == (length == 1), "mark of a single flit"
        self._left[values["channel"]] = length - 1
        return bits, 1, values["single"], 0

    @staticmethod
    def tag(block):
        """The tag of a block of counts."""
        return block.link["single"] | block.link["channel"] << 1 | block.link["freed"] >> 10 << 6

    def end_tag(self, end, peer):
        """The tag of the end with ``(address, port)``: 1 if its port, or else its address, is the lower one; then check bits."""
        own, other = end[::-1], peer[::-1]
        return int(own < other) | self.syndrome("details", own[0] | own[1] << 8) << 1

    def mark(self, channel):
        """Mask of the check bits of a header that a channel inverts.

        The masks are syndromes that are not columns of the code. Odd ones with few ones come first.
        """
        code = self._codes["header"]
        bits = code["n"] - code["k"]
        free = [s for s in range(3, 1 << bits) if s not in code["columns"]]
        free.sort(key=lambda s: (s.bit_count() % 2 == 0, s.bit_count(), s))
        return reduce(xor, (free[bit] for bit in range(5) if channel >> bit & 1), 0)

    def syndrome(self, name, bits):
        """The syndrome of a word of one of the codes; 0 if the word is correct."""
        columns = self._codes[name]["columns"]
        return reduce(xor, (column for bit, column in enumerate(columns) if bits >> bit & 1), 0)
