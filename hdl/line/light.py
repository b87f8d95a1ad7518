"""FEC layer of the light format on a line of 160-bit words: blocks of 260 bits in SECDED codewords of 270 bits.

A group of 16 codewords is 27 words of the line.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.fec.secded.coders import SecdedChecker, SecdedDecoder, SecdedEncoder
from dsnswitch.hdl.gf.xor_network import shared
from dsnswitch.hdl.line.block_codec import LIGHT, scrambled_after
from dsnswitch.hdl.line.codeword_lock import CodewordLock, Pacer
from dsnswitch.hdl.line.line_format import EARLY_BLOCK, FIRST, receiver_members, transmitter_members
from dsnswitch.hdl.line.rates import CODE, CODEWORDS, WORDS
from dsnswitch.hdl.line.search import HOPELESS, LIMIT, LOSE, MAKE, TRUST
from dsnswitch.hdl.logic.gates import xor_gates
from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.block_lock import BlockLock
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS
from dsnswitch.hdl.pcs.pcs260.framing import CONTROL, DATA, HeaderDecoder
from dsnswitch.hdl.pcs.scrambler import TAPS
from dsnswitch.hdl.stream.gearbox import Gearbox
from dsnswitch.hdl.stream.stage import stage

#: Bits of a word of the line.
_WORD = 160

#: All check bits of the first codeword of a group are inverted. The inversion changes the syndrome by all ones, which
#: matches no single error. With one more wrong bit, at 124 of 270 positions, it does. A receiver that takes another codeword for
#: the first therefore finds two uncorrectable codewords per group without wrong bits.
_INVERTED = (1 << CODE.n - CODE.k) - 1


def decoded_light_layout():
    """Layout of a decoded block: ``block`` (260 bits), ``bad`` (the codeword was uncorrectable), ``fault`` (no lock)."""
    return data.StructLayout({"block": CODE.k, "bad": 1, "fault": 1})


def light_pacer():
    """Pacer for a transmitter that ends with :class:`LightEncode`."""
    return Pacer(CODE.n, _WORD, CODEWORDS, WORDS)


class LightEncode(wiring.Component):
    """Encoder of the light format: converts 16 blocks to 27 words. Latency 2 cycles (code, gearbox), one word per cycle.

    Members
    -------
    - i (In(stream of 260 bits)): Blocks. Groups are counted from reset.
    - o (Out(stream of 160 bits)): Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    """

    latency = 2

    i: In(stream.Signature(CODE.k))
    o: Out(stream.Signature(_WORD))

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = SecdedEncoder(CODE)
        m.submodules.gearbox = gearbox = Gearbox(CODE.n, _WORD)
        between = stream.Signature(CODE.n).create(path=("between",))
        connect(m, between, gearbox.i)
        connect(m, gearbox.o, flipped(self.o))
        place = Signal(range(CODEWORDS))
        m.d.comb += encoder.data.eq(self.i.payload)
        with m.If(stage(m, self.i, between)):
            checks = encoder.word[CODE.k :] ^ Mux(place.any(), 0, _INVERTED)
            m.d.sync += [between.payload.eq(Cat(self.i.payload, checks)), place.eq(place + 1)]
        return m


class LightDecode(wiring.Component):
    """Decoder of the light format: converts 27 words to 16 blocks. Latency 3 cycles (gearbox 2, code), one word per cycle.

    It corrects one wrong bit of a codeword and marks blocks with two. An *error* for the lock is an uncorrectable codeword
    or an invalid header. A group (:class:`CodewordLock`) is

    - *clean* without an error. It locks after four clean groups, if no other is bad;
    - *bad* if its first codeword has an error, or :data:`~dsnswitch.hdl.line.search.LIMIT` codewords have. A search allows two
      bad groups more than clean ones. Lock is lost after six bad groups in a row; a group with that many errors counts twice;
    - *hopeless* with :data:`~dsnswitch.hdl.line.search.HOPELESS` errors. A search slips at once.

    At a bit error rate of 1e-3 a group has 0.5 errors, so less than six of ten are clean.

    Parameters
    ----------
    settle : int
        Words in the pipeline before this component when ``slip`` is 1 (:class:`CodewordLock`).
    managed : bool
        With counters. Without them, ``one_corrected`` and ``one_uncorrectable`` exist.

    Members
    -------
    - i (In(stream of 160 bits)): Words of the line.
    - o (Out(stream of decoded_light_layout())): Blocks.
    - start, start_locked (In(1)): Restart of the lock (:class:`CodewordLock`).
    - locked, stays, slip (Out(1)): Groups begin at the expected positions; the lock was lost, and the old boundary is tested;
      the boundary must move by one bit.
    - clear (In(1)): Sets the counters to 0.
    - light_corrected, light_uncorrectable (Out(32)): Corrected codewords; uncorrectable codewords. Counted while locked.
    - one_corrected, one_uncorrectable (Out(1)): With or without lock: a codeword with a corrected bit; an uncorrectable
      codeword.
    """

    latency = 3

    def __init__(self, settle=0, managed=True):
        self._managed = managed
        counters = ("light_corrected", "light_uncorrectable") if managed else ()
        flags = () if managed else ("one_corrected", "one_uncorrectable")
        self._lock = CodewordLock(settle, MAKE, LOSE, TRUST)
        super().__init__(
            {
                "i": In(stream.Signature(_WORD)),
                "o": Out(stream.Signature(decoded_light_layout())),
                **{name: In(1) for name in ("start", "start_locked", *(("clear",) if managed else ()))},
                **{name: Out(1) for name in ("locked", "stays", "slip", *flags)},
                **{name: Out(COUNTER_BITS) for name in counters},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.gearbox = gearbox = Gearbox(_WORD, CODE.n)
        m.submodules.decoder = decoder = SecdedDecoder(CODE, position="none")
        m.submodules.header_decoder = header = HeaderDecoder()
        connect(m, flipped(self.i), gearbox.i)
        place = Signal(range(CODEWORDS))
        wrong = Signal(range(CODEWORDS + 1))
        found = Signal.like(wrong)
        first = Signal()
        last = Signal()
        error = Signal()
        first_wrong = Signal()
        fault = Signal()
        held = Signal()
        word = gearbox.o.payload
        m.d.comb += [
            first.eq(~place.any()),
            last.eq(place.all()),
            decoder.word.eq(Cat(word[: CODE.k], word[CODE.k :] ^ Mux(first, _INVERTED, 0))),
            header.header.eq(decoder.data[:4]),
            error.eq(decoder.uncorrectable | ~header.exact),
            found.eq(Mux(first, 0, wrong) + error),
            # A group keeps the state of the lock at its beginning.
            fault.eq(Mux(first, ~self.locked, held)),
        ]
        taken = stage(m, gearbox.o, self.o)
        with m.If(taken):
            m.d.sync += [
                self.o.payload.block.eq(decoder.data),
                self.o.payload.bad.eq(decoder.uncorrectable),
                self.o.payload.fault.eq(fault),
                held.eq(fault),
                wrong.eq(found),
                first_wrong.eq(Mux(first, error, first_wrong)),
                place.eq(place + 1),
            ]
        self._watch(m, taken & last, found, first_wrong)
        m.d.comb += self._lock.hopeless.eq(~first & (wrong >= HOPELESS))
        if self._managed:
            counts = taken & self.locked
            count(m, self, light_corrected=counts & decoder.corrected, light_uncorrectable=counts & decoder.uncorrectable)
        else:
            m.d.comb += [
                self.one_corrected.eq(taken & decoder.corrected),
                self.one_uncorrectable.eq(taken & decoder.uncorrectable),
            ]
        return m

    def _watch(self, m, done, found, first_wrong):
        """Connect the lock: its codewords are the groups.

        ``found``: errors of a group; ``first_wrong``: its first codeword has one.
        """
        m.submodules.lock = lock = self._lock
        word = Signal(range(WORDS))
        moves = Signal()
        m.d.comb += [
            moves.eq(self.i.valid & self.i.ready),
            lock.goes.eq(moves),
            lock.begins.eq(moves & ~word.any()),
            lock.done.eq(done),
            lock.clean.eq(~found.any()),
            lock.heavy.eq(found >= LIMIT),
            lock.bad.eq(lock.heavy | first_wrong),
            lock.start.eq(self.start),
            lock.start_locked.eq(self.start_locked),
            self.locked.eq(lock.locked),
            self.stays.eq(lock.stays),
            self.slip.eq(lock.slip),
        ]
        with m.If(moves):
            m.d.sync += word.eq(Mux(word == WORDS - 1, 0, word + 1))


#: Bits of the header and of a body.
_HEADER_BITS, _BODY_BITS = 4, 256


class LineEncoder(wiring.Component):
    """Scrambles a body and appends header and check bits. Latency 1 cycle, one block per cycle.

    The kind of the block is known late, and its body is chosen before it is scrambled. Check bits computed from the chosen body
    would be too late, because each is a sum of up to half of its bits. But scrambling and encoding are linear: each part that
    the body may have, and the scrambler's state, has check bits of its own, and the choice is made among their sums.

    Members: :func:`transmitter_members`. Words are codewords of 270 bits, always valid after the first cycle.
    """

    latency = 1

    def __init__(self):
        super().__init__(transmitter_members(CODE.n))

    def elaborate(self, platform):
        m = Module()
        first = Signal(FIRST)
        details = Signal(_BODY_BITS - FIRST)
        body = Signal(_BODY_BITS)
        end, begin = self.flit[len(details) :], self.flit[: len(details)]
        m.d.comb += [
            first.eq(LIGHT.control(self.frame_open, self.starts, self.link_word)),
            details.eq(LIGHT.details(self.details)),
            body.eq(Cat(Mux(self.is_data, end, first), Mux(self.carries, begin, details))),
        ]
        # The state of the scrambler is the end of the last codeword.
        before = self.o.payload[CODE.k - TAPS[1] : CODE.k]
        low, high = range(FIRST, _BODY_BITS), range(FIRST)
        of_end = self._checks(m, "end", end, high, DATA)
        of_first = self._checks(m, "first", first, high, CONTROL)
        of_begin = self._checks(m, "begin", begin, low)
        of_details = self._checks(m, "details", details, low)
        of_state = self._checks(m, "state", before, range(-TAPS[1], 0))
        line = scrambled_after(m, before, body)
        of_high = Mux(self.is_data, of_end ^ of_state, of_first ^ of_state)
        checks = of_high ^ Mux(self.carries, of_begin, of_details)
        m.d.comb += self.taken.eq(self.o.ready | ~self.o.valid)
        m.d.sync += self.o.valid.eq(1)
        # Only the state is known after a reset.
        head = Signal(CODE.k - TAPS[1], reset_less=True)
        state = Signal(TAPS[1])
        tail = Signal(CODE.r, reset_less=True)
        m.d.comb += self.o.payload.eq(Cat(head, state, tail))
        with m.If(self.taken):
            m.d.sync += [Cat(head, state).eq(Cat(Mux(self.is_data, DATA, CONTROL), line)), tail.eq(checks)]
        return m

    def _checks(self, m, name, bits, positions, header=0):
        """Check bits of ``header`` and of ``bits`` at ``positions`` of the body, the other bits 0.

        Before the body are the last bits sent.
        """
        columns = []
        for position in positions:
            places = [position] if position >= 0 else [position + tap for tap in TAPS if position + tap >= 0]
            columns.append(_column(places))
        rows = [sum((column >> row & 1) << bit for bit, column in enumerate(columns)) for row in range(CODE.r)]
        checks = Signal(CODE.r, name=f"{name}_checks")
        sums = xor_gates(m, shared(rows, len(columns)), bits, f"{name}_sum")
        m.d.comb += checks.eq(_with_header(sums, header))
        return checks


def _column(places):
    """Check bits that change with a plain bit which enters the body at ``places``."""
    bits = [0] * _BODY_BITS
    for place in range(_BODY_BITS):
        bits[place] = (place in places) ^ (sum(bits[place - tap] for tap in TAPS if place >= tap) & 1)
    column = 0
    for place, bit in enumerate(bits):
        column ^= CODE.columns[_HEADER_BITS + place] * bit
    return column


def _with_header(checks, header):
    """``checks`` of a codeword, with those of ``header`` added."""
    inverted = 0
    for bit in range(_HEADER_BITS):
        inverted ^= CODE.columns[bit] * (header >> bit & 1)
    return Cat(~check if inverted >> row & 1 else check for row, check in enumerate(checks))


class LineDecoder(wiring.Component):
    """Corrects a codeword and descrambles its body. Combinational, apart from the descrambler's state.

    The sums of received bits do not wait for the correction: a wrong bit inverts three plain bits, which follow from its
    position. The header's own distance decides between data and control, so this is known before the correction.

    Members
    -------
    - valid, word (In(1), In(270)): A codeword arrives.
    - is_data (Out(1)): The block is a data block.
    - plain (Out(256)): The plain body.
    - early_data, early_plain (Out(1), Out(256)): The same, not corrected.
    - exact (Out(1)): No bit of the codeword is wrong, so these are right.
    - corrected (Out(1)): One bit of the codeword was wrong.
    - bad (Out(1)): The codeword is uncorrectable, or its header is not valid.
    - framed (Out(1)): No bit of the header is wrong.
    """

    valid: In(1)
    word: In(CODE.n)
    is_data: Out(1)
    plain: Out(256)
    early_data: Out(1)
    early_plain: Out(256)
    exact: Out(1)
    corrected: Out(1)
    bad: Out(1)
    framed: Out(1)

    #: The unit that corrects, or finds, wrong bits.
    _decoder = SecdedDecoder

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self._decoder(CODE, exact=True)
        m.submodules.header_decoder = header = HeaderDecoder()
        # Any value lasts for a block.
        earlier = Signal(TAPS[1], reset_less=True)
        m.d.comb += [
            decoder.word.eq(self.word),
            header.header.eq(self.word[:_HEADER_BITS]),
            self.is_data.eq(header.is_data),
            self.corrected.eq(decoder.corrected),
            self.bad.eq(decoder.uncorrectable | header.bad),
            self.framed.eq(header.exact),
            self.exact.eq(decoder.exact & header.exact),
        ]
        received = Cat(earlier, self.word[_HEADER_BITS : CODE.k])
        wrong = decoder.position[_HEADER_BITS : CODE.k]
        plain = Signal(len(self.plain), name="received_plain")
        hits = Signal(len(self.plain))
        near, far = (received[TAPS[1] - tap :][: len(plain)] for tap in TAPS)
        wrong_near, wrong_far = (wrong.shift_left(tap)[: len(plain)] for tap in TAPS)
        m.d.comb += [
            plain.eq(received[TAPS[1] :] ^ near ^ far),
            hits.eq(wrong | wrong_near | wrong_far),
            self.plain.eq(plain ^ hits),
            # The two headers differ in every bit.
            self.early_data.eq(self.word[0] == DATA & 1),
            self.early_plain.eq(plain),
        ]
        with m.If(self.valid):
            m.d.sync += earlier.eq(decoder.data[-TAPS[1] :])
        return m


class LineChecker(LineDecoder):
    """Marks each codeword with a wrong bit as ``bad``, and corrects none. Otherwise as :class:`LineDecoder`.

    The code has distance 4, so up to three wrong bits are found, and all but one in 1,024 of the patterns of more.
    """

    _decoder = SecdedChecker


class LightLineRx(wiring.Component):
    """Receives blocks in codewords of the light link. Combinational from codeword to block; one block per cycle.

    Lock is block lock, by headers without a wrong bit: at a boundary that is off by one bit, half of the headers are those of
    the other kind of block with one wrong bit. A lock that sees only uncorrectable codewords ends after :attr:`HOPELESS` of them.

    Members: :func:`receiver_members`; ``framed``: the header of the cycle before had no wrong bit; with ``speculative``,
    :data:`EARLY_BLOCK`.

    Parameters
    ----------
    settle : int
        Codewords in the pipeline between the unit that moves the boundary on ``slip`` and this component.
    detect : bool
        Correct nothing (:class:`LineChecker`): ``corrected`` is 0.
    speculative : bool
        Blocks are also given before they are corrected.
    """

    #: Uncorrectable codewords in a row that end the lock. A power of two.
    HOPELESS = 512

    def __init__(self, settle=0, speculative=False, detect=False):
        self._lock, self._speculative, self._detect = BlockLock(settle + 1), speculative, detect
        early = {name: Out(width) for name, width in EARLY_BLOCK.items()} if speculative else {}
        super().__init__({**receiver_members(CODE.n), "framed": Out(1), **early})

    @property
    def may_be_noise(self):
        """Whether the block of the cycle before is perhaps noise, if the line fails and it has no flag.

        A correction makes a codeword of more than a quarter of all words. One in 8,192 is a codeword without a correction whose
        header has no wrong bit. ``corrected`` is 0 for a block with which the lock ends.
        """
        return self.corrected | ~self.framed | ~self.locked

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = LineChecker() if self._detect else LineDecoder()
        m.submodules.lock = lock = self._lock
        connect_ports(m, decoder, self, ("is_data", "plain", "bad"))
        if self._speculative:
            connect_ports(m, decoder, self, EARLY_BLOCK)
        connect_ports(m, lock, self, ("locked", "slip"))
        arrived = Signal()
        fixed = Signal()
        failed = Signal()
        failures = Signal(range(self.HOPELESS + 1))
        hopeless = failures[-1]
        m.d.sync += [
            arrived.eq(self.i.valid),
            self.framed.eq(decoder.framed),
            fixed.eq(self.i.valid & decoder.corrected),
            failed.eq(self.i.valid & decoder.bad),
        ]
        m.d.comb += [
            self.i.ready.eq(1),
            decoder.valid.eq(self.i.valid),
            decoder.word.eq(self.i.payload),
            self.valid.eq(self.i.valid),
            self.no_start.eq(LIGHT.no_start(m, decoder.early_plain[64:72])),
            lock.test.eq(arrived),
            lock.valid.eq(self.framed & ~hopeless),
            self.corrected.eq(fixed & lock.locked),
            self.uncorrectable.eq(failed & lock.locked),
        ]
        with m.If(~lock.locked):
            m.d.sync += failures.eq(0)
        with m.Elif(arrived & ~hopeless):
            m.d.sync += failures.eq(Mux(failed, failures + 1, 0))
        return m
