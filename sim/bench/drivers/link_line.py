"""Common parts of the benches of links and their PCS: groups of words, wrong symbols, lines that begin anywhere."""

import random

from dsnswitch.sim.bench.drivers.given import MANIFEST, SEED
from dsnswitch.sim.bench.drivers.lockstep import Line, Sink, Source, begin, lockstep
from dsnswitch.sim.golden.pcs.mii import FAULT, IDLES, receive

_WORD = 160


def first_word(block, bits):
    """Index of the word in which block ``block`` of ``bits`` bits begins, both counted in their group."""
    return bits * block // _WORD


def fours(words):
    """Groups of four words; idles fill the last group."""
    words = words + [IDLES] * (-len(words) % 4)
    return [words[start : start + 4] for start in range(0, len(words), 4)]


def mii(group):
    """Payload of words: the octets of all words, then the control bits of all words."""
    octets = sum(data << 64 * index for index, (data, _) in enumerate(group))
    return octets | sum(control << 8 * index for index, (_, control) in enumerate(group)) << 64 * len(group)


def split(payload):
    """The four words of a payload."""
    return [(payload >> 64 * index & (1 << 64) - 1, payload >> 256 + 8 * index & 0xFF) for index in range(4)]


def wrong_symbols(rng, codeword, positions):
    """Errors ``{word: error}`` on the line: random wrong bits in the symbols ``positions`` of codeword number ``codeword``."""
    errors = {}
    for position in positions:
        word, symbol = divmod(position, 16)
        word += 33 * codeword
        errors[word] = errors.get(word, 0) ^ rng.randrange(1, 1024) << 10 * symbol
    return errors


def lost_frames(groups, sent, quiet):
    """The frames of ``sent`` that are not among the good frames of received ``groups`` of words, ``quiet`` words later.

    AssertionError if a good frame was not sent, or was sent in other words.
    """
    received = {got.first: got for got in receive([word for group in groups for word in group])}
    lost = []
    for one in sent:
        got = received.pop(one.first + quiet, None)
        if got and got.good:
            assert (got.frame, got.last) == (one.frame, one.last + quiet), f"frame at word {one.first + quiet}"
        else:
            lost.append(one)
    assert not any(got.good for got in received.values()), "a good frame that was not sent"
    return lost


class Crossing:
    """One run of groups of words through both ends of a link. ``change(number, word)`` is received for each word of the line.

    Attributes
    ----------
    - wanted: Groups that must arrive; all by default.
    - on_line, received: Words of the line as sent, and as received.
    - found: Groups of words that have arrived.
    """

    def __init__(self, groups, change):
        self.groups, self._change = groups, change
        self.wanted, self.on_line, self.received = len(groups), [], []

    async def run(self, dut, stall, done=None, each=None, **straps):
        """Run until all that are wanted have arrived, or ``done()``; inputs are 0, or as ``straps`` say.

        ``stall`` is the share of cycles in which each of the four stream ends stalls.
        """
        await begin(dut, **straps)
        rng = random.Random(SEED)
        self.source = Source(dut, "tx_i", map(mii, self.groups), stall, rng)
        self.sink, self.line = Sink(dut, "rx_o", stall, rng), Line(dut, "tx_o", "rx_i", stall, rng, self._pass)
        done = done or (lambda: len(self.sink.items) >= self.wanted)
        self.cycles = await lockstep(dut, [self.source, self.line, self.sink], done, each)
        self.found = [split(item) for item in self.sink.items]
        return self

    def _pass(self, number, word):
        self.on_line.append(word)
        self.received.append(self._change(number, word))
        return self.received[-1]


def counted(dut, names):
    """``{name: count}`` of counters of the receiver."""
    return {name: int(getattr(dut, f"rx_{name}").value) for name in names}


async def clear(dut):
    """Check that ``rx_clear`` sets every counter to 0, at least one of which is not 0 before."""
    counters = [getattr(dut, port["name"]) for port in MANIFEST["ports"] if port["role"] == "counter"]
    assert any(int(counter.value) for counter in counters)
    dut.rx_i_valid.value, dut.rx_o_ready.value, dut.rx_clear.value = 0, 1, 1
    # A receiver without words at its input becomes empty in these cycles.
    await lockstep(dut, [], iter([False] * 150 + [True]).__next__)
    dut.rx_clear.value = 0
    await lockstep(dut, [], iter([False, False, True]).__next__)
    found = {counter._name: int(counter.value) for counter in counters}
    assert not any(found.values()), found


class ShiftedLine:
    """The words ``sent`` on a line that begins ``off`` bits early; ``rx_slip`` of the receiver moves the boundary by one bit.

    ``slips`` counts the bits by which the boundary has moved, each ``delay`` cycles after its slip.
    """

    def __init__(self, dut, sent, off, rng, delay=0):
        self._dut, self._delay, self._delayed = dut, delay, []
        self._bits = sum(word << _WORD * index for index, word in enumerate(sent)) << off
        self._start, self._end, self.slips = 0, _WORD * len(sent) + off, 0
        self.source, self.sink = Source(dut, "rx_i", [], 0, rng), Sink(dut, "rx_o", 0, rng)

    def each(self, cycle):
        """Offer the next word in every cycle, for :func:`lockstep`."""
        if self._dut.rx_slip.value:
            self._delayed.append(cycle + self._delay)
        if self._delayed and cycle >= self._delayed[0]:
            self._delayed.pop(0)
            self._start, self.slips = self._start + 1, self.slips + 1
        if not self.source.items and not self.ended():
            self.source.items.append(self._bits >> self._start & (1 << _WORD) - 1)
            self._start += _WORD

    def ended(self):
        """Whether no whole word is left."""
        return self._start + _WORD > self._end

    def found(self):
        """The groups of words that the receiver has given, and the first that is no local fault."""
        groups = [split(item) for item in self.sink.items]
        return groups, next(block for block, group in enumerate(groups) if group != [FAULT] * 4)
