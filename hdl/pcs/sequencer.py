"""Sequencer: checks that words follow each other as frames and gaps may, several words per cycle."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.block_types import KINDS

__all__ = ["Sequencer", "state_layout"]


def state_layout():
    """Layout of the state: ``idle`` (after reset, control or the end of a frame), ``frame``; neither is 1 after an error."""
    return data.StructLayout({"idle": 1, "frame": 1})


class Sequencer(wiring.Component):
    """Checks each word against the words before it. Combinational; the parent keeps the state.

    It is the transmitter's and the receiver's state machine of Clause 49 (Figures 49-16 and 49-17): the states INIT, C and
    T have the same transitions. A word is passed on as it is, or as an error if the state becomes E. In a receiver, T
    counts as an error unless S or C follows; the parent has to check that.

    Parameters
    ----------
    words : int
        Words per cycle. Each word adds two levels of gates.

    Members
    -------
    kinds : In(4 bits, words times)
        Kind of each word, one-hot in the order of ``KINDS``; 0 is an error.
    previous : In(state_layout())
        State before word 0.
    good : Out(words)
        Bit j: word j is allowed after the word before it. Otherwise it counts as an error.
    latest : Out(state_layout())
        State after the last word.
    """

    def __init__(self, words=1):
        self._words = words
        super().__init__(
            {
                "kinds": In(data.ArrayLayout(len(KINDS), words)),
                "previous": In(state_layout()),
                "good": Out(words),
                "latest": Out(state_layout()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        idle, frame = self.previous.idle, self.previous.frame
        for word in range(self._words):
            control, start, terminate, octets = (self.kinds[word][bit] for bit in range(len(KINDS)))
            next_idle, next_frame = Signal(name=f"idle_{word}"), Signal(name=f"frame_{word}")
            m.d.comb += [
                next_idle.eq(control & ~frame | terminate & ~idle),
                next_frame.eq(start & idle | octets & ~idle),
                self.good[word].eq(next_idle | next_frame),
            ]
            idle, frame = next_idle, next_frame
        m.d.comb += [self.latest.idle.eq(idle), self.latest.frame.eq(frame)]
        return m
