"""Reed-Solomon encoder and decoder."""

from dataclasses import dataclass, replace
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, code_of, counters, flags
from dsnswitch.hdl.fec.reed_solomon.code import CUTS, NAMED, Beats, DecoderPlan, ReedSolomonCode
from dsnswitch.hdl.fec.reed_solomon.code import counters as decoder_counters
from dsnswitch.hdl.gf.field import Field
from dsnswitch.net import limits
from dsnswitch.net.messages import refusing
from dsnswitch.net.options import choice, integer, text

#: Symbols per cycle, unless a codeword has fewer.
_SYMBOLS = 16
_UNROLL = integer("Steps of the key equation per cycle.", 1, 64, 1)
_CODE = {
    "code": choice(f"A named code, instead of n, k, field, polynomial, root. Default {next(iter(NAMED))}.", NAMED, optional=True),
    "n": integer("Symbols of a codeword.", 3, 65535, word="codeword"),
    "k": integer("Data symbols of a codeword.", 1, 65533),
    "field": integer("Bits of a symbol: GF(2**field).", 2, 16),
    "polynomial": integer("Primitive polynomial of the field as a number, including its highest term.", 4, (1 << 17) - 1),
    "root": integer("First root of the generator, as a power of alpha.", 0, 65534, 0),
    "symbols": integer(f"Symbols per cycle. Default {_SYMBOLS}, or n if that is less.", 1, 65535),
}
_PARTS = ("n", "k", "field", "polynomial", "root")


def _code(n, k, size, polynomial, root):
    return ReedSolomonCode(n, k, Field(size, polynomial), root)


@dataclass(frozen=True)
class _RsBlock(Block):
    """Common part of encoder and decoder."""

    beats: Beats

    @classmethod
    def resolve(cls, values):
        code = code_of(cls, values, NAMED, _PARTS, _code)
        symbols = cls.optional(values, "symbols") or min(_SYMBOLS, code.n)
        for key, number in (("symbols", symbols), ("unroll", values.get("unroll", _UNROLL.default))):
            what = f"{key} * (n - k) * field**2 of {cls.block}"
            limits.at_most(limits.MOST_MAP, number * code.parity * code.field.m**2, what)
        with refusing():
            return cls._of(Beats(code, symbols), values)

    @classmethod
    def _of(cls, beats, values):
        return cls(beats)

    @property
    def _known(self):
        return next((name for name, code in NAMED.items() if code == self.beats.code), None)

    @property
    def suffix(self):
        code = self.beats.code
        other = "" if self._known else f"_m{code.field.m}_{code.field.polynomial:x}_b{code.first_root}"
        return f"_{code.n}_{code.k}{other}_w{self.beats.width}"

    @property
    def parameters(self):
        code = self.beats.code
        numbers = (code.n, code.k, code.field.m, code.field.polynomial, code.first_root)
        values = {"code": self._known} if self._known else dict(zip(_PARTS, numbers))
        return {**values, "symbols": self.beats.width}

    @property
    def arguments(self):
        return {"code": self.beats.code, "width": self.beats.width}

    @property
    def facts(self):
        return {"code": rs_code_entry(self.beats)}

    @property
    def title(self):
        """The code and the symbols per cycle, for the head comment."""
        code = self.beats.code
        symbols = "1 symbol" if self.beats.width == 1 else f"{self.beats.width} symbols"
        return f"RS({code.n},{code.k}) over GF(2**{code.field.m}), {symbols} per cycle"


class RsEncoderBlock(_RsBlock):
    """Reed-Solomon encoder: several symbols per cycle, any code over GF(2^2) to GF(2^16)."""

    block = "rs-encoder"
    gateware = "hdl.fec.reed_solomon.encoder:RsEncoder"
    about = ("encoder of {self.title}.",)
    OPTIONS: ClassVar = _CODE


@dataclass(frozen=True)
class RsDecoderBlock(_RsBlock):
    """Reed-Solomon decoder: several symbols per cycle, corrects up to (n - k) / 2 symbols."""

    plan: DecoderPlan

    block = "rs-decoder"
    gateware = "hdl.fec.reed_solomon.decoder:RsDecoder"
    about = ("decoder of {self.title}, {self.beats.code.t} wrong symbols corrected.",)
    OPTIONS: ClassVar = {
        **_CODE,
        "unroll": _UNROLL,
        "cuts": text(f"Optional registers: {', '.join(CUTS)}, separated by commas, or none.", default="evaluation,division"),
        "lanes": integer("Lanes whose corrected bits are counted. Default: the greatest possible number up to 4.", 1, 64),
    }

    @classmethod
    def _of(cls, beats, values):
        spelt = cls.value(values, "cuts")
        cuts = () if spelt == "none" else tuple(spelt.split(","))
        lanes = cls.optional(values, "lanes")
        return cls(beats, DecoderPlan(beats, cls.value(values, "unroll"), cuts, lanes))

    @property
    def suffix(self):
        plan = self.plan
        usual = set(plan.cuts) == set(self.default("cuts").split(","))
        cut = "" if usual else "_c" + "".join(name[0] for name in CUTS if name in plan.cuts)
        lanes = "" if plan == replace(plan, lanes=None) else f"_l{plan.lanes}"
        return f"{super().suffix}_u{plan.unroll}{cut}{lanes}"

    @property
    def parameters(self):
        plan = self.plan
        cuts = ",".join(name for name in CUTS if name in plan.cuts) or "none"
        return super().parameters | {"unroll": plan.unroll, "cuts": cuts, "lanes": plan.lanes}

    @property
    def arguments(self):
        plan = self.plan
        return super().arguments | {"unroll": plan.unroll, "cuts": plan.cuts, "lanes": plan.lanes}

    @property
    def roles(self):
        return flags("enable", "bypass_correction") | counters(*decoder_counters(self.plan.lanes))


def rs_code_entry(beats):
    """Manifest entry that describes a code and the order in which its symbols are sent."""
    code = beats.code
    return {
        "n": code.n,
        "k": code.k,
        "m": code.field.m,
        "polynomial": code.field.polynomial,
        "first_root": code.first_root,
        "generator": list(code.generator),
        "symbols_a_beat": beats.width,
        "beats": beats.count,
    }
