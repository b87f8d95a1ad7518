"""Components of the PCS around stand-ins for their parts: every output is compared with a model in every cycle."""

import pytest

from dsnswitch.hdl.logic import numbers
from dsnswitch.hdl.pcs import dual, scrambler, words
from dsnswitch.hdl.pcs.block_lock import BlockLock
from dsnswitch.hdl.pcs.dual import DualTx
from dsnswitch.hdl.pcs.pcs66 import words as words66
from dsnswitch.hdl.pcs.pcs66.words import BlockFields, BlockTypes, WordDecoder, WordReader
from dsnswitch.hdl.pcs.pcs257 import Packer257
from dsnswitch.hdl.pcs.pcs260 import pcs, protected
from dsnswitch.hdl.pcs.pcs260.framing import CONTROL, DATA, HeaderDecoder
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx
from dsnswitch.hdl.pcs.pcs260.protected import ProtectedPacker, ProtectedUnpacker, SlotEncoder
from dsnswitch.hdl.pcs.scrambler import Descrambler, Scrambler
from dsnswitch.hdl.pcs.words import WordsIn, WordsOut

from ..compared import AnyInputs, compare
from ..leaping_counter import STEP, LeapingCounter
from ..mixed import Mixed, mixed

BODY, COUNT = (1 << 256) - 1, (1 << 32) - 1


class Packer(AnyInputs):
    """The first word that is not data takes slot 0; the data words before it move up."""

    def __init__(self):
        super().__init__(ProtectedPacker())
        self.slots = [Mixed(SlotEncoder(place)) for place in range(4)]

    def inputs(self, rng):
        # Most words are data.
        some = sum((rng.random() < 0.8) << 16 * place + 15 for place in range(4))
        return super().inputs(rng) | {"types": rng.getrandbits(64) | some, "good": 15 ^ (rng.random() < 0.3) << rng.randrange(4)}

    def cycle(self, words, types, good):
        is_data = [bool(good >> place & types >> 16 * place + 15 & 1) for place in range(4)]
        ends = [place for place in range(4) if not is_data[place]] + [4]
        slots = []
        for place, slot in enumerate(self.slots):
            word = words >> 64 * place & (1 << 64) - 1 | (words >> 256 + 8 * place & 255) << 64
            following = min(end for end in ends if end > place) - place - 1
            types_here, good_here = types >> 16 * place & 0xFFFF, good >> place & 1
            slots.append(slot.of(word=word, types=types_here, good=good_here, following=following)["slot"])
        if ends[0] < 4:
            slots.insert(0, slots.pop(ends[0]))
        return {"is_data": all(is_data), "body_bits": sum(slot << 64 * place for place, slot in enumerate(slots))}


class Decoder(AnyInputs):
    def __init__(self):
        super().__init__(WordDecoder())
        self.fields, self.types, self.reader = Mixed(BlockFields()), Mixed(BlockTypes()), Mixed(WordReader())

    def cycle(self, coded):
        fields = self.fields.of(coded=coded)["fields"]
        return self.types.of(fields=fields) | self.reader.of(payload=coded >> 2, named=fields & 0xFFFF)


class Dual(AnyInputs):
    def __init__(self):
        super().__init__(DualTx())
        self.words_in, self.packers = Mixed(WordsIn()), [Mixed(ProtectedPacker()), Mixed(Packer257())]
        self.scrambler = Mixed(Scrambler(256))
        self.state, self.sent, self.valid, self.payload = 1, 0, 0, 0

    def cycle(self, i__payload, i__valid, strict, o__ready):
        ready = o__ready | ~self.valid & 1
        found = {"i__ready": ready, "o__valid": self.valid, "o__payload": self.payload}
        if ready and i__valid:
            read = self.words_in.of(words=i__payload, previous=self.state)
            packed = self.packers[strict].of(words=i__payload, types=read["types"], good=read["good"])
            line = self.scrambler.of(plain=packed["body_bits"], previous=self.sent)
            block = packed["is_data"] | line["scrambled"] << 1
            header = DATA if packed["is_data"] else CONTROL
            self.payload = block ^ block >> 8 & 31 if strict else header | line["scrambled"] << 4
            self.payload |= strict << 260
            self.state, self.sent = read["latest"], line["latest"]
        self.valid = i__valid if ready else self.valid
        return found


class Rx(AnyInputs):
    def __init__(self):
        super().__init__(Pcs260Rx())
        self.header, self.descrambler, self.unpacker = Mixed(HeaderDecoder()), Mixed(Descrambler(256)), Mixed(ProtectedUnpacker())
        self.lock, self.words_out = Mixed(BlockLock()), Mixed(WordsOut())
        self.received, self.valid, self.payload = 0, 0, 0
        self.counts = dict.fromkeys(("blocks", "header_errors", "corrected_blocks", "errored_blocks"), 0)

    def cycle(self, i__payload, i__valid, o__ready, clear):
        ready, lock, out = o__ready | ~self.valid & 1, self.lock.outputs(), self.words_out.outputs()
        found = {"i__ready": ready, "o__valid": self.valid, "o__payload": self.payload, **lock, **self.counts}
        taken = ready & i__valid
        header = self.header.of(header=i__payload & 15)
        plain = self.descrambler.of(scrambled=i__payload >> 4 & BODY, previous=self.received)
        read = self.unpacker.of(is_data=header["is_data"], body_bits=plain["plain"])
        given = {"read": read["words"], "kinds": read["kinds"], "doubtful": header["bad"] | read["bad"]}
        self.words_out.step(**given, taken=taken, spoils=i__payload >> 260, fault=1 - lock["locked"])
        self.lock.step(test=taken, valid=header["exact"])
        fixed = not out["bad"] and (read["corrected"] or not header["exact"])
        events = (1, not header["exact"], fixed, out["good"] != 15)
        for (name, count), event in zip(self.counts.items(), events, strict=True):
            self.counts[name] = (0 if clear else count) + STEP * (taken and lock["locked"] and event) & COUNT
        if taken:
            self.payload, self.received = out["words"], plain["latest"]
        self.valid = i__valid if ready else self.valid
        return found


@pytest.mark.parametrize(
    ("kind", "model"),
    [(ProtectedPacker, Packer), (WordDecoder, Decoder), (DualTx, Dual), (Pcs260Rx, Rx)],
    ids=lambda one: one.__name__,
)
def test_alone(simulate, monkeypatch, kind, model):
    for place, *parts in [
        (protected, SlotEncoder),
        (words66, BlockFields, BlockTypes, WordReader),
        (words, WordsIn),
        (dual, Packer257, ProtectedPacker),
        (scrambler, Scrambler, Descrambler),
        (pcs, HeaderDecoder),
    ]:
        for part in parts:
            monkeypatch.setattr(place, part.__name__, mixed(part, clocked=False))
    monkeypatch.setattr(pcs, "WordsOut", mixed(WordsOut))
    monkeypatch.setattr(pcs, "BlockLock", mixed(BlockLock))
    monkeypatch.setattr(pcs, "UNPACKERS", {"protected": mixed(ProtectedUnpacker, clocked=False)})
    monkeypatch.setattr(numbers, "Counter", LeapingCounter)
    compare(simulate, kind(), model)
