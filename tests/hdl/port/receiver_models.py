"""Models of the units of the receiver, in plain Python (:func:`~.compared.compare`)."""

import copy
from functools import cache, reduce
from operator import xor

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.line.line_format import (
    DETAILS_CODE,
    FIRST,
    LINK_CODE,
    NUMBER_BITS,
    RECEIVED_BLOCK,
    Kind,
    answer_layout,
    link_word_layout,
)

from ..compared import packed

LINK, ANSWER = link_word_layout(), answer_layout()


@cache
def marks_of(code, channel):
    """What a head of a channel inverts: the bits of the channel are information bits of the header's code, with new columns."""
    free = [s for s in range(3, 1 << code.r) if s not in code.columns]
    free = sorted(free, key=lambda s: (1 - s.bit_count() % 2, s.bit_count()))
    return reduce(xor, (free[bit] for bit in range(5) if channel >> bit & 1), 0) << code.k


class Guard:
    """Flits that the packet of each channel lacks."""

    def __init__(self, channels):
        self.left, self.waits = [0] * channels, [False] * channels

    def cycle(self, valid, head, tail, length, refused, breaks, space, free):
        for v in range(len(self.left)):
            if valid >> v & 1:
                self.left[v] = 0 if tail or refused else (length if head else self.left[v]) - 1
            self.waits[v] = self.left[v] > 0 and bool(self.waits[v] or breaks >> v & 1)
        broken = sum(waits << v for v, waits in enumerate(self.waits))
        lacks = sum((left > 0) << v for v, left in enumerate(self.left))
        ends = broken & space & -(broken & space) if free else 0
        last = sum((left == 1) << v for v, left in enumerate(self.left))
        return {"is_open": lacks & ~broken, "last": last, "broken": broken, "ends": ends}


class Checked:
    """The link word and the details of the block before."""

    def __init__(self):
        self.plain, self.is_control = 0, 0

    def cycle(self, plain, is_control):
        """What does not matter without a block of control is None."""
        body, control, self.plain, self.is_control = self.plain, self.is_control, plain, is_control
        link = body >> 16 & (1 << 48) - 1
        details = sum((body >> 64 * word + 16 & (1 << 48) - 1) << 48 * (word - 1) for word in (1, 2, 3))
        valid = control and is_word(LINK_CODE, link)
        shown = {"control": control, "link_valid": valid, "details_valid": valid and is_word(DETAILS_CODE, details)}
        return shown | {"link": link if control else None, "details": details if control else None}


def is_word(code, bits):
    """Whether the bits are a codeword."""
    return checked(code, bits & (1 << code.k) - 1) == bits


@cache
def rows(code):
    """The information bits that each check bit sums."""
    return code.rows


def checked(code, bits):
    """The codeword of information bits."""
    sums = sum(((bits & row).bit_count() & 1) << place for place, row in enumerate(rows(code)))
    return bits | sums << code.k


class Accepts:
    """Numbers of accepted flits, those in doubt apart, and the request for the missing ones."""

    def __init__(self, depth, pause, numbers):
        self.depth, self.pause, self.numbers, self.often = depth, pause, numbers, 0.5
        self.asked = self.urgent = False
        self.clear()

    def clear(self):
        self.taken = self.asks = False
        self.counted = self.accepted = self.request = self.known = self.news = self.waits = 0

    def inputs(self, rng):
        if rng.random() < 0.05:
            self.often = rng.choice((0, 0.1, 0.5, 0.9))
        free = ("active", "present", "answered", "none_missing", "missing", "reported", "doubts")
        values = {name: rng.random() < 0.5 for name in free} | {"active": rng.random() < 0.99, "missing": rng.random() < 0.3}
        values |= {
            "reported": rng.random() < self.often,
            "doubts": rng.random() < 0.3,
            "undone": self.taken and rng.random() < 0.2,
        }
        values["revoked"] = values["doubts"] and not self.taken and rng.random() < 0.3
        return values | {"taken": not values["undone"] and not values["revoked"] and rng.random() < 0.7}

    @property
    def expected(self):
        return (self.counted + self.taken) % self.numbers

    def cycle(self, active, taken, undone, missing, none_missing, present, answered, reported, doubts, revoked):
        names = ("taken", "expected", "accepted", "request", "urgent")
        shown = {"was_taken" if name == "taken" else name: getattr(self, name) for name in names}
        self.known = answered if present else self.known
        lacks = missing and not doubts
        requests = lacks and self.known == self.request
        self.urgent = not reported and ((self.asks and not self.waits) or self.news >= self.depth // 4)
        if requests:
            self.waits = 0
        elif reported and self.asked and not self.waits:
            self.waits = self.pause
        else:
            self.waits = max(self.waits - 1, 0)
        self.asked = self.asks and not requests
        self.asks = lacks or (self.asks and not none_missing)
        self.request ^= requests
        self.news = min((0 if reported else self.news) + self.taken, self.depth)
        counted = self.counted if undone else self.expected
        self.counted = self.accepted if revoked else counted
        self.accepted = self.accepted if doubts else counted
        self.taken = taken
        if not active:
            self.clear()
        return shown


class Any:
    """Each block without errors counts."""

    def __init__(self, shape):
        self.shape, self.all = shape, (1 << shape.channels) - 1
        self.refused = self.dropped_head = self.dropped_flit = False
        self.noisy, self.locked = False, True

    def inputs(self, rng):
        names = [f"block__{name}" for name in ("no_start", "is_head", "is_abort", "cuts")]
        names += ["previous__gives_head", "previous__wrong_header", "previous__link_valid", "previous__control"]
        values = {name: rng.random() < 0.5 for name in names} | {"active": rng.random() < 0.97}
        values["previous__bad"] = rng.random() < 0.1
        values["previous__gives"] = values["previous__gives_head"] or rng.random() < 0.5
        values["block__is_data"] = rng.random() < 0.5
        values["block__usable"] = not values["previous__bad"] and rng.random() < 0.9
        values["previous__link_valid"] &= values["previous__control"]
        values["previous__link"] = packed(LINK, kind=rng.choice((*Kind, 6)), seen=rng.random() < 0.5)
        values |= {f"block__{name}": 1 << rng.randrange(self.shape.channels + 1) & self.all for name in ("channel", "frame")}
        busy = rng.choice((0, self.all, rng.randrange(self.all)))
        return values | {
            "block__number": rng.randrange(1 << NUMBER_BITS),
            "space": ~busy & self.all,
            "is_open": rng.randrange(self.all + 1),
        }

    def cycle(self, active, space, is_open, **more):
        block, previous = parts(more, "block"), parts(more, "previous")
        closes = previous["bad"] or self.refused or (previous["control"] and not previous["link_valid"])
        shown = {"in_order": 1, "none_missing": 1, "undone": 0, "closes": closes, "breaks": self.all if closes else 0}
        shown["head"] = previous["gives_head"] and not previous["link_valid"] and not previous["wrong_header"]
        shown["lost_packet"] = self.dropped_head and previous["link_valid"]
        shown["dropped_flit"] = self.dropped_flit
        arrives, continues = block["usable"] and active, block["frame"] & is_open
        is_data = arrives and block["is_data"]
        self.refused = is_data and continues & ~space
        self.dropped_flit = is_data and not continues & space
        is_head = arrives and not is_data and block["is_head"]
        self.dropped_head = is_head and (block["cuts"] or not block["channel"] & space)
        return {name: value if name == "breaks" else bool(value) for name, value in shown.items()}


class InOrder(Any):
    """Flits count in order. Those that may be noise count when a block follows that is none."""

    def __init__(self, shape):
        super().__init__(shape)
        self.accepts = Accepts(shape.replay, shape.kind.burst, 1 << NUMBER_BITS)
        self.matched = self.doubts = self.fails = False
        self.channel = 0

    def inputs(self, rng):
        values = super().inputs(rng)
        if rng.random() < 0.1:
            self.noisy = not self.noisy
        if self.noisy:
            values |= {"block__is_data": rng.random() < 0.9, "previous__control": rng.random() < 0.2}
            values["previous__link_valid"] &= values["previous__control"]
        if not self.locked or rng.random() < 0.2:
            values |= {"previous__bad": 1, "block__usable": 0}
        if rng.random() < 0.8:
            values["block__number"] = self.accepts.expected
        self.locked = rng.random() < 0.85
        values |= {"locked": self.locked, "may_be_noise": rng.random() < (0.9 if self.noisy else 0.3)}
        return values | {"reported": rng.random() < rng.choice((0.1, 0.5)), "active": rng.random() < 0.997}

    def cycle(self, active, space, is_open, reported, locked, may_be_noise, **more):
        accepts, block, previous = self.accepts, parts(more, "block"), parts(more, "previous")
        link = LINK.from_bits(previous["link"])
        takes, control, valid = accepts.taken, previous["control"], previous["link_valid"]
        fits = space | ~is_open
        undone = takes and control and (previous["wrong_header"] if previous["gives_head"] else not valid)
        present = valid and link.kind != Kind.HELLO
        is_flit, is_head = link.kind in (Kind.HEAD, Kind.ABORT), link.kind == Kind.HEAD
        none_missing = present and self.matched and (takes or not is_flit) and not undone
        in_order = block["number"] == accepts.expected
        shown = {"in_order": in_order, "undone": undone, "none_missing": none_missing, "expected": accepts.expected}
        shown["closes"] = previous["bad"] or self.refused or (control and not valid)
        shown["head"] = takes and control and not undone and (previous["gives_head"] or (valid and is_head))
        shown["lost_packet"] = takes and valid and is_head and not previous["gives_head"]
        shown["dropped_flit"] = takes and not control and not previous["gives"]
        if takes and not control:
            doubts = may_be_noise
        else:
            doubts = self.doubts and not (present or (self.refused and not may_be_noise) or (takes and not undone))
        revoked = self.fails and self.doubts
        shown["breaks"] = self.channel if revoked else 0
        missing = self.refused or undone or (present and not none_missing)
        arrives, continues = block["usable"] and active, block["frame"] & fits
        begins = block["channel"] & ((space if block["is_head"] else 0) | (fits if block["is_abort"] else 0))
        fitting = continues if block["is_data"] else in_order and begins and not block["no_start"]
        taken = bool(arrives and not undone and fitting)
        said = accepts.cycle(active, taken, undone, missing, none_missing, present, link.seen, reported, doubts, revoked)
        shown["urgent"] = said["urgent"] and locked
        shown["answer"] = packed(ANSWER, accepted=said["accepted"], request=said["request"])
        self.matched, self.refused = in_order, arrives and block["is_data"] and (undone or not continues)
        self.doubts, self.fails = doubts and not revoked and active, previous["bad"] and not locked
        self.channel = block["frame"] if taken and block["is_data"] else self.channel
        return {name: value if name in ("breaks", "answer", "expected") else bool(value) for name, value in shown.items()}


def parts(values, of):
    """The members of one member."""
    return {name.removeprefix(f"{of}__"): value for name, value in values.items() if name.startswith(f"{of}__")}


class Received:
    """Blocks become flits. It consists of the models of the receiver's units."""

    def __init__(self, shape):
        self.shape, self.header, self.all = shape, Header(shape.core), (1 << shape.channels) - 1
        self.layout = flit_layout(shape.core)
        self.guard, self.check = Guard(shape.channels), Checked()
        self.order = (InOrder if shape.replay else Any)(shape)
        self.into = self.latest = self.arrived = self.bad = self.was_active = self.waits = 0
        self.flit = dict.fromkeys(("head", "tail", "bad", "data"), 0)

    def channel(self, number):
        """One-hot, or 0."""
        return 1 << number if number < self.shape.channels else 0

    def flit_data(self, plain, is_data, channel):
        """The flit in a block. The channel of a head inverts check bits of its header."""
        bits = plain >> FIRST | (plain & (1 << FIRST) - 1 if is_data else 0) << 256 - FIRST
        if not is_data and channel < self.shape.channels:
            bits ^= marks_of(self.header.code, channel)
        return bits & (1 << self.shape.core.flit) - 1

    def cycle(self, active, reported, locked, may_be_noise, space, **line):
        shape, flit, gives = self.shape, self.flit, self.into > 0
        valid, is_data, no_start, plain, bad = (line[f"line__{name}"] for name in RECEIVED_BLOCK)
        header = self.header.layout.from_bits(flit["data"] & (1 << self.header.width) - 1)
        wrong_header = not is_word(self.header.code, header.as_value().value)
        link = LINK.from_bits(plain >> 16 & (1 << 48) - 1)
        channel, is_head, is_abort = self.channel(link.channel), link.kind == Kind.HEAD, link.kind == Kind.ABORT
        good = valid and not bad
        usable = good and not self.bad
        said = self.check.cycle(plain, usable and not is_data)
        word = LINK.from_bits(said["link"] or 0)
        previous = {"bad": self.bad, "control": said["control"], "link_valid": said["link_valid"], "link": said["link"] or 0}
        previous |= {"gives": gives, "gives_head": gives and flit["head"], "wrong_header": wrong_header}
        block = {"usable": usable, "is_data": is_data, "no_start": no_start, "is_head": is_head, "is_abort": is_abort}
        block |= {"cuts": 0, "number": link.number, "channel": channel, "frame": 0}
        more = {"reported": reported, "locked": locked, "may_be_noise": may_be_noise} if shape.replay else {}

        def judged(order, is_open):
            named = {f"previous__{name}": value for name, value in previous.items()}
            named |= {f"block__{name}": value for name, value in block.items()}
            return order.cycle(active=active, space=space, is_open=is_open, **more, **named)

        # What is judged of the block before does not depend on the packets that are open.
        before = judged(copy.deepcopy(self.order, {id(shape): shape}), 0)
        guard = self.guard.cycle(
            valid=self.into,
            head=flit["head"],
            tail=flit["tail"],
            length=header.length,
            refused=flit["head"] and wrong_header,
            breaks=before["breaks"] | (self.all if self.was_active and not active else 0),
            space=space,
            free=not valid or self.bad or not active or (not is_data and no_start),
        )
        is_open, busy = guard["is_open"], guard["is_open"] | guard["broken"]
        frame = self.latest
        if said["control"]:
            starts = word.kind in (Kind.HEAD, Kind.RESUME) and said["link_valid"] and before["none_missing"]
            frame = self.channel(word.channel) if starts else 0
        guess = self.channel(word.channel) if said["control"] else self.latest
        if before["closes"] or not active:
            frame = 0
        cuts = is_head and channel & busy > 0
        block |= {"cuts": cuts, "frame": frame}
        order = judged(self.order, is_open)
        allowed = space if active and not self.bad and not order["undone"] else 0
        begins = channel if is_head else channel & is_open if is_abort else 0
        arrives = frame & is_open if is_data else 0 if no_start or not order["in_order"] else begins
        arrives = arrives & allowed if good else 0
        is_last = frame & guard["last"] > 0
        shown = {name: said[name] for name in ("link_valid", "link", "details_valid", "details")}
        shown |= {name: order[name] for name in ("none_missing", "head", "lost_packet", "dropped_flit")}
        shown |= {name: order.get(name, 0) for name in ("answer", "urgent")}
        shown |= {"into": self.into, "flit": packed(self.layout, **flit) if gives else None, "arrived": self.arrived}
        shown |= {"pending": busy > 0, "is_open": is_open, "bad_packet": gives and flit["tail"] and flit["bad"]}
        if shape.speculates:
            accepts = guard["ends"] or arrives
            shown |= self.offered(guess, frame & is_open, busy, is_last, allowed, accepts, active, before.get("expected"), line)
        self.flit = {
            "head": not guard["ends"] and not is_data and is_head and not cuts,
            "tail": guard["ends"] or (is_last if is_data else link.single or cuts or not is_head),
            "bad": guard["ends"] or (not is_data and (cuts or not is_head)),
            "data": self.flit_data(plain, is_data, link.channel),
        }
        self.flit = {name: value if name == "data" else bool(value) for name, value in self.flit.items()}
        self.into, self.arrived, self.was_active, self.latest = guard["ends"] | arrives, valid, active, frame
        self.bad = bad if valid else self.bad
        if shape.replay and not locked:
            self.bad = 1
        kept = ("into", "flit", "link", "details", "answer", "is_open", "early__valid", "early__flit")
        return {name: value if name in kept else bool(value) for name, value in shown.items()}

    def offered(self, guess, frame, busy, is_last, allowed, accepts, active, expected, line):
        """The flit of the block that arrives, before it is corrected, or the one in the register."""
        valid, is_data, plain = line["line__valid"], line["line__early_data"], line["line__early_plain"]
        link = LINK.from_bits(plain >> 16 & (1 << 48) - 1)
        low = self.channel(link.channel % (1 << (self.shape.channels - 1).bit_length()))
        # The guess looks at two bits of the kind.
        offers = guess if is_data else low if link.kind % 4 == Kind.HEAD else 0
        is_next = link.kind == Kind.HEAD and not line["line__no_start"] and link.number == expected
        takes = frame if is_data else self.channel(link.channel) & ~busy if is_next else 0
        offers, takes = (offers if valid and active else 0), takes & allowed if valid else 0
        counts, waits = bool(takes & offers and line["line__exact"]), self.waits
        data = self.flit_data(plain, is_data, link.channel)
        flit = {"head": not is_data, "tail": is_last if is_data else link.single, "bad": 0, "data": data}
        shown = {"early__valid": self.into if waits else offers, "early__confirmed": waits or counts}
        flit = packed(self.layout, **(self.flit if waits else flit))
        self.waits = accepts and (waits or not counts)
        return shown | {"early__flit": flit if shown["early__valid"] else None}
