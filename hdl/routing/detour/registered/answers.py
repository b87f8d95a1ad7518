"""Answers about a packet as words, and selections among them."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Mux
from amaranth.lib import data

__all__ = ["answer_layout", "any_port", "chosen", "gated", "possible"]


def answer_layout(local_ports):
    """What becomes of a packet in one dimension. All bits but those of the header are 0 if no link leads on.

    ``hop``: local port, one-hot. ``shortcut``: forward, backward. ``mode``, ``alternative``: header. ``turn``: the hop goes up
    after one down, which takes the next class. ``goes``: there is a port. Answers in tables have ``goes`` 0.
    """
    return data.StructLayout({"hop": local_ports, "shortcut": 2, "mode": 2, "alternative": 1, "turn": 1, "goes": 1})


def gated(bit, value):
    """``value`` if ``bit``, else 0."""
    return Mux(bit, value, 0)


def chosen(pairs):
    """OR of the values whose bit is 1, of at least one ``(bit, value)``."""
    return reduce(or_, (gated(bit, value) for bit, value in pairs))


def any_port(answer):
    """Whether an answer names a port."""
    return Cat(answer.hop, answer.shortcut).any()


def possible(answer, over):
    """An answer as a value, without its hop if the packet is ``over``, on the last class, and the hop needs the next one."""
    goes = ~(answer.turn & over)
    values = {name: answer[name] for name in answer.shape().members}
    return Cat(value if name in ("mode", "alternative") else gated(goes, value) for name, value in values.items())
