"""Model of the session of a fabric link, in plain Python (:func:`~.compared.compare`)."""

from dsnswitch.hdl.line.line_format import DETAILS_CODE, Kind, hello_layout
from dsnswitch.hdl.port.session import State, differences
from dsnswitch.hdl.port.shape import SEVERAL, VERSION

from ..compared import joined, packed
from .receiver_models import LINK, checked

SETTLE, PATIENCE = 4, 64


def tag_of(end, is_lower):
    """The tag of the end with ``(address, port)``."""
    return is_lower | checked(DETAILS_CODE, end[1] | end[0] << 8) >> DETAILS_CODE.k << 1


class Sessions:
    """What both ends know of each other, and since when nothing was heard."""

    def __init__(self, shape):
        self.shape, self.networks = shape, len(shape.networks)
        self.several, self.retries = self.networks > 1, bool(shape.replay)
        self.layout, self.fields = hello_layout(self.several), differences(self.networks)
        self.holds, self.idle, self.silent, self.fresh = SETTLE, 0, 0, 1
        self.known = self.heard = self.granted = self.accepts = self.strange = self.gave_up = self.restarted = False
        self.tags, self.peer, self.peer_fresh, self.hello = (0, 0), 0, 0, None
        self.differs, self.mismatch, self.described = set(), set(), None
        # Of several virtual networks: the turn of this end, those that agree, and what differs in this round of hellos.
        self.turn = self.moved = 0
        self.agreed, self.found, self.wrong, self.differing = set(), set(), set(), set()
        self.ends = self.shown = self.stays = False
        self.mode, self.left, self.number = "", 0, 0
        self.end, self.other = None, None

    def own(self):
        """The fields of the hello that this end sends now."""
        shape, (channels, depth) = self.shape, self.shape.networks[self.turn]
        fields = {"version": VERSION | (SEVERAL if self.several else 0), "flit": shape.core.flit, "packet": shape.core.packet}
        fields |= {"replay": shape.replay, "channels": channels, "depth": depth}
        return fields | ({"last_network": self.networks - 1, "virtual_network": self.turn} if self.several else {})

    def right(self, number):
        """The fields of the other end's hello for a virtual network."""
        channels, depth = self.shape.networks[number] if number < self.networks else (0, 0)
        fields = self.own() | {"channels": channels, "depth": depth, "address": self.other[0], "port": self.other[1]}
        return fields | ({"virtual_network": number} if self.several else {})

    def inputs(self, rng):
        """Hellos and counts, of which most are right; and times without blocks, or without link words."""
        if self.end is None or (not self.left and rng.random() < 0.3):
            self.end, self.other = ((rng.choice((7, rng.getrandbits(64))), rng.choice((3, rng.getrandbits(8)))) for _ in range(2))
        if self.left:
            self.left -= 1
        else:
            self.mode, self.left = rng.choice(
                (("", 40), ("", 40), ("silent", 68), ("idle", 75), ("closing", 20), *[("wrong", 25)] * 3)
            )
            field = self.layout[rng.choice([name for name, _ in self.layout])]
            self.flaw = 1 << field.offset + rng.randrange(field.width)
        sizes = list(zip(*self.shape.networks))
        values = {"own_address": self.end[0], "own_port": self.end[1], "peer_address": self.other[0], "peer_port": self.other[1]}
        for name, given, width in (("channels", sizes[0], 6), ("depth", sizes[1], 13)):
            values[name] = joined((width, size) for size in given)
        quiet = self.mode in ("silent", "idle")
        often = {"arrived": 0.95, "locked": 0.998, "offered": 0.7, "counting": 0.1, "drained": 0.3, "details_valid": 0.95}
        often |= {"failed": 0.001, "stale": 0.002} | ({"down": 0.002} if self.retries else {})
        often |= {"hello_sent": 0.5} if self.several else {}
        often |= {"locked": 0.8, "failed": 0.02} if self.mode == "closing" else {}
        values |= {name: rng.random() < share for name, share in often.items()}
        values["link_valid"] = not quiet and rng.random() < 0.8
        values["arrived"] = values["link_valid"] or (self.mode != "silent" and values["arrived"])
        kind = rng.choice((Kind.HELLO, Kind.HELLO, Kind.HELLO, Kind.CREDIT, Kind.HEAD, Kind.ABORT))
        tag = self.tags[1] ^ (1 << rng.randrange(10) if rng.random() < 0.2 else 0)
        fields = {"single": tag & 1, "channel": tag >> 1 & 31, "freed": tag >> 6 << 10 | rng.getrandbits(10)}
        seen = rng.random() < (0.95 if self.heard else 0.5)
        values["link"] = packed(LINK, kind=kind, seen=seen, ready=rng.random() < 0.6, **fields)
        self.number = (self.number + (rng.random() < 0.8)) % self.networks if rng.random() < 0.97 else rng.randrange(8)
        hello = packed(self.layout, **self.right(self.number if self.several else 0), fresh=rng.random() < 0.5)
        wrong = rng.random() < (0.8 if self.mode == "wrong" else 0.01)
        values["hello"] = hello ^ (self.flaw if wrong else 0)
        return values

    def cycle(self, locked, arrived, link_valid, details_valid, offered, failed, stale, counting, drained, link, hello, **given):
        word, says_hello = LINK.from_bits(link), not (self.known and self.heard)
        end, other = (given["own_address"], given["own_port"]), (given["peer_address"], given["peer_port"])
        away = (given["down"] or (not locked and says_hello)) if self.retries else not locked
        hears = link_valid and not self.holds
        is_count, tag = hears and word.kind == Kind.CREDIT, word.single | word.channel << 1 | word.freed >> 10 << 6
        foreign = is_count and tag != self.tags[1]
        says = word.kind == Kind.HELLO
        is_hello = hears and details_valid and says
        agreed = set(self.agreed)
        if is_hello:
            agreed = agreed - {self.described} if self.differs else agreed | {self.described}
        agrees = is_hello and not self.differs and set(range(self.networks)) <= agreed
        ends = bool(self.differs) and (self.known or not self.several)
        again = away or self.idle == PATIENCE or self.silent == PATIENCE or failed or stale
        again = again or (is_hello and (ends or (self.heard and not word.seen))) or (foreign and self.strange)
        tx_open = self.known and self.heard and self.granted and not counting
        is_up = tx_open and self.accepts
        state = State.WAIT if self.known else State.MISMATCH if self.mismatch else State.HELLO
        state = State.UP if is_up else State.FAILED if self.gave_up else state
        own = self.own() | {"address": end[0], "port": end[1], "fresh": self.fresh}
        shown = {
            "tx_open": tx_open,
            "rx_open": self.accepts,
            "says_hello": says_hello,
            "seen": self.known,
            "restarted": self.restarted,
            "begins": agrees and not self.known and not again,
            "peer_fresh": self.peer_fresh,
            "tag": self.tags[0],
            "own": packed(self.layout, **own),
            "peer": self.peer,
            "state": state if locked else State.UNLOCKED,
            "mismatch": sum(1 << self.fields.index(name) for name in self.mismatch),
        }
        if self.several:
            shown["differing"] = sum(1 << number for number in self.differing)
        self.show(offered and locked and not self.holds, is_hello, locked, hello)
        self.idle = 0 if link_valid or again else self.idle + arrived
        self.silent = 0 if arrived or again else self.silent + 1
        if is_count or again:
            self.strange = foreign and not again
        self.restarted, self.gave_up = again and self.known, failed or (self.gave_up and not is_up and locked)
        self.fresh = self.fresh and not tx_open
        self.accepts = not again and (self.accepts or (self.known and drained))
        if hears and (self.known or agrees) and (not says or agrees):
            self.heard, self.granted = self.heard or not says or word.seen, self.granted or word.ready
        self.known = self.known or agrees
        self.holds = max(self.holds - arrived, 0)
        self.agreed = agreed
        if again:
            self.known = self.heard = self.granted = False
            self.holds, self.agreed = SETTLE, set()
        lower = end[::-1] < other[::-1]
        self.tags = tag_of(end, lower), tag_of(other, not lower)
        said = self.layout.from_bits(hello)
        self.peer_fresh, self.described = said.fresh, said.virtual_network if self.several else 0
        right, last = self.right(self.described), "last_network"
        self.differs = {
            name for name in self.fields if said[last if name == "virtual_networks" else name] != right.get(name, right.get(last))
        }
        if self.several:
            self.ends = said.virtual_network == said.last_network
            self.moved = given["hello_sent"] and not self.moved
            self.turn = (self.turn + self.moved) % self.networks
        return shown

    def show(self, arrives, is_hello, locked, hello):
        """Of several virtual networks, ``peer`` stays with the first whose hello differs; differences are those of a round."""
        if not self.several:
            self.peer = hello if arrives else self.peer
            self.mismatch = set() if not locked else self.differs if is_hello else self.mismatch
            return
        stays = bool(self.differs) if is_hello and self.shown else self.stays
        number, kept = (self.layout.from_bits(bits).virtual_network for bits in (hello, self.peer))
        self.shown, self.stays = arrives and (not stays or number == kept), stays and locked
        self.peer = hello if self.shown else self.peer
        if not locked:
            self.mismatch, self.differing, self.found, self.wrong = set(), set(), set(), set()
        elif is_hello:
            sizes = self.differs & {"channels", "depth"} and self.described < self.networks
            self.found, self.wrong = self.found | self.differs, self.wrong | ({self.described} if sizes else set())
            if self.ends:
                self.mismatch, self.differing, self.found, self.wrong = self.found, self.wrong, set(), set()
