"""Models of the units of the transmitter, in plain Python (:func:`~.compared.compare`)."""

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.line.line_format import DETAILS_CODE, LINK_CODE, NUMBER_BITS, Kind
from dsnswitch.hdl.port.retransmission import ReplayBuffer
from dsnswitch.hdl.port.transmitter import SENDERS, Skid

from ..compared import packed
from .receiver_models import ANSWER, LINK, checked, marks_of

NUMBERS = 1 << NUMBER_BITS


class Replays:
    """Flits by their numbers; those from ``oldest`` on may be needed again."""

    def __init__(self, depth, width, numbers):
        self.depth, self.width, self.numbers = depth, width, numbers
        self.entries, self.restarts, self.replaying, self.failed, self.target = {}, False, False, False, 0
        self.clear()

    def clear(self):
        self.oldest = self.level = self.number = self.request = self.answered = self.attempts = 0
        self.full = False

    def cycle(self, active, sent, entry, update, accepted, request):
        newest = (self.oldest + self.level) % self.numbers
        following = (self.number + 1) % self.numbers
        replays = bool(active and (self.restarts or (self.replaying and not (sent and following == newest))))
        shown = {name: getattr(self, name) for name in ("full", "replaying", "restarts", "answered", "failed", "number")}
        shown |= {"replays": replays, "following": following, "newest": newest}
        shown["front"] = self.entries[self.number] if self.replaying else None
        shown["target"] = self.target if self.restarts else None
        fresh = sent and not self.replaying
        if fresh:
            self.entries[self.number] = entry
        self.full, self.answered = self.level >= self.depth - 2, self.request
        # A report.
        freed = (accepted - self.oldest) % self.numbers
        believed, newer = update and freed <= self.level, update and request != self.request
        advances, tries = believed and freed > 0, newer and freed != self.level
        self.failed = tries and not advances and self.attempts == ReplayBuffer.LIMIT
        if tries or advances:
            self.attempts = min((0 if advances else self.attempts) + tries, ReplayBuffer.LIMIT)
        self.number = self.target if self.restarts else following if sent else self.number
        self.level += fresh
        if believed:
            self.oldest, self.level, self.request = accepted, self.level - freed, request
        self.restarts, self.target, self.replaying = active and tries and believed, accepted, replays
        if not active:
            self.clear()
        return shown


class Waits:
    """Flits that the line has not taken, the oldest first."""

    def __init__(self):
        self.entries, self.outside, self.stalled = [], False, [False, False]

    def front(self, valid, entry, inserted):
        """The entry that is shown, None if there is none."""
        if self.outside:
            return inserted
        return self.entries[0] if self.entries else entry if valid else None

    def cycle(self, valid, entry, pop, inserts, inserted):
        shown = {"front_valid": valid or bool(self.entries), "front": self.front(valid, entry, inserted)}
        if valid:
            self.entries.append(entry)
        if pop:
            del self.entries[0]
        # Flits may come that were granted in the two cycles before and in this one.
        shown["stall"] = len(self.entries) + self.stalled.count(False) >= Skid.ENTRIES
        self.stalled, self.outside = [shown["stall"], self.stalled[0]], inserts
        return shown


class Grants:
    """Channels whose packet is sent in part, and the channel that data blocks continue."""

    def __init__(self):
        self.sending = self.frame = self.frame_open = 0

    def cycle(self, active, waits, again, head, tail, bad, urgent, restarts, taken, channel):
        spoiled, sender = tail and bad, "idle"
        may = active and (waits or again)
        granted = may and (not spoiled if head else channel & (channel if again else self.sending) > 0)
        if granted and head:
            sender = "idle" if urgent else "head"
        elif granted and spoiled:
            sender = "abort"
        elif granted:
            sender = "data" if channel & self.frame and not urgent else "resume"
        leaves = taken and sender in ("data", "abort", "head")
        shown = {f"sends__{name}": name == sender for name in SENDERS} | {"leaves": leaves, "frame_open": self.frame_open}
        shown |= {"drops": waits and not granted and not again, "complete": not self.sending}
        if taken:
            self.frame_open = sender != "idle"
            self.frame = self.frame if sender == "data" else channel if sender in ("head", "resume") else 0
        self.frame = 0 if restarts else self.frame
        if leaves and not again:
            self.sending = self.sending & ~channel if tail else self.sending | channel
        self.sending = self.sending if active else 0
        return {name: bool(value) for name, value in shown.items()}


class Counted:
    """Numbers of packets, and of the next flit with retransmission."""

    def __init__(self, retries):
        self.retries, self.packets, self.number = retries, 0, 0

    def word(self, number, **more):
        return checked(LINK_CODE, packed(LINK, number=number, **more))

    def cycle(self, new_head, active=0, leaves=0, restarts=0, answered=0, target=0, following=0):
        shown = {"packets": self.packets, "word": self.word(self.packets), "hello_word": 0}
        if self.retries:
            shown |= {"word": self.word(self.number, seen=answered), "hello_word": shown["word"]}
        self.packets = (self.packets + new_head) % NUMBERS
        if not active:
            self.number = 0
        elif restarts or leaves:
            self.number = target if restarts else following
        return shown


class Sent:
    """Flits become blocks. It consists of the models of the transmitter's units."""

    def __init__(self, shape):
        self.shape, self.header, self.retries = shape, Header(shape.core), bool(shape.replay)
        self.layout, self.several = flit_layout(shape.core), len(shape.networks) > 1
        self.waits, self.grants, self.numbers = Waits(), Grants(), Counted(self.retries)
        self.replays = Replays(shape.replay, 0, NUMBERS)
        self.second = self.hello_now = self.quiet = 0
        self.early, self.entry, self.details = {}, {}, None

    def cycle(self, active, says_hello, ready, seen, urgent, answered, taken, valid, flit, **given):
        replays, retries = self.replays, self.retries
        again = retries and replays.replaying
        full = retries and active and replays.full
        front = self.waits.front(valid > 0, (flit, valid), replays.entries.get(replays.number))
        bits, channel = front or (0, 0)
        one = self.layout.from_bits(bits)
        restarts = retries and (replays.restarts or self.second == 1)
        grants = self.grants.cycle(
            active=active,
            waits=(valid > 0 or bool(self.waits.entries)) and not full,
            again=again,
            head=one.head,
            tail=one.tail,
            bad=one.bad,
            urgent=urgent,
            restarts=restarts,
            taken=taken,
            channel=channel,
        )
        sends, leaves, drops = {name: grants[f"sends__{name}"] for name in SENDERS}, grants["leaves"], grants["drops"]
        is_new = leaves and not again
        said = {"complete": 0, "newest": 0, "replays": 0}
        said |= dict.fromkeys(("restarts", "target", "following", "answered", "failed"), 0)
        if retries:
            burst = self.shape.kind.burst
            self.second = burst if replays.restarts else max(self.second - 1, 0)
            answer = ANSWER.from_bits(given["its_answer"])
            said |= replays.cycle(active, leaves, front, answered, answer.accepted, answer.request)
        waits = self.waits.cycle(valid > 0, (flit, valid), drops or is_new, said["replays"], None)
        new_head = is_new and one.head
        numbers = self.numbers.cycle(
            new_head, active, leaves, *(said[name] for name in ("restarts", "answered", "target", "following"))
        )
        idle = sends["idle"]
        word = dict(self.entry if sends["head"] else self.early)
        named = next((number for number in range(self.shape.channels) if channel >> number & 1), 0)
        if not idle:
            word |= {"kind": Kind.HEAD if sends["head"] else Kind.RESUME if sends["resume"] else Kind.ABORT, "channel": named}
        elif not self.hello_now:
            tag = given["tag"]
            freed = word.get("freed", 0) | tag >> 6 << 10
            word |= {"kind": Kind.CREDIT, "single": tag & 1, "channel": tag >> 1 & 31, "freed": freed}
        word["number"] = LINK.from_bits(numbers["hello_word"] if idle and self.hello_now and retries else numbers["word"]).number
        word["seen"] = word.get("seen", 0) | said["answered"]
        word["exact"] = self.quiet and not again and not sends["head"]
        word["single"] = word.get("single", 0) or (sends["head"] and one.tail)
        carries = sends["data"] or sends["head"]
        marks = marks_of(self.header.code, named if one.head else 0)
        shown = {
            "stall": waits["stall"],
            "packets": numbers["packets"],
            "sent": channel if is_new else 0,
            "dropped": channel if drops else 0,
            "counts_sent": taken and not carries and not self.hello_now,
            "entry_sent": taken and sends["head"],
            "refused_packet": drops and one.head,
            "resumed": taken and sends["resume"],
            "retransmitted": leaves and again,
            "failed": said["failed"],
            "block__is_data": sends["data"],
            "block__carries": carries,
            "block__flit": one.data ^ marks if carries else None,
            "block__frame_open": grants["frame_open"],
            "block__starts": sends["head"] or sends["resume"] or sends["abort"],
            "block__link_word": None if sends["data"] or not self.early else checked(LINK_CODE, packed(LINK, **word)),
            "block__details": None if carries or self.details is None else checked(DETAILS_CODE, self.details),
        }
        if self.several:
            shown["hello_sent"] = taken and self.hello_now
        if retries:
            shown |= {"complete": grants["complete"], "newest": said["newest"]}
        if taken:
            self.quiet = idle or sends["resume"]
        # With retransmission, other blocks than hellos say in ``seen`` which request was answered.
        seen = {"seen": seen and (says_hello or not retries)}
        self.early = {"ready": ready, "entry": given["first"], "freed": given["answer"]} | seen
        self.entry = {"ready": ready, "entry": given["entry"], "freed": given["entry_freed"]} | ({} if retries else seen)
        self.details, self.hello_now = given["hello"] if says_hello else given["details"], says_hello
        return shown
