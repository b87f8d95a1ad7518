"""Minimal route logic by the digits in a packet's header, which the source of the packet has chosen."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux

from dsnswitch.hdl.routing.minimal import MinimalRoute, own_ids
from dsnswitch.net.routing.minimal.relation import DigitRelation
from dsnswitch.net.topology.dsn import Dsn, port_links


def digit_code(own, dst, sign):
    """The digits of one dimension at the source: ``rest`` in the lowest bits, then ``needs``, then the signs (:func:`digits_of`).

    No distance is subtracted first: a carry of -1, 0 or 1 passes from digit to digit, of which ``own`` is static.
    """
    needs, carries, below = [], Const(0, 1), Const(0, 1)
    for place, backward in enumerate(sign):
        differs = own[place] ^ dst[place]
        needs.append(differs ^ carries)
        # The sign of what is carried on.
        negative = Mux(differs, own[place], below)
        carries = Mux(needs[-1], backward ^ negative, differs & ~(own[place] ^ below))
        below = negative
    rest = dst[len(sign) :] - own[len(sign) :]
    rest = Mux(carries, Mux(below, rest - 1, rest + 1), rest)[: len(dst) - len(sign)]
    return Cat(rest, needs, Cat(needs) & Cat(sign))


class DigitRoute(MinimalRoute):
    """Table-free routing over a shortest path among those with the digits in the header; both hops as with ``adaptive``.

    The header has the digits at the switch before. The logic takes away the link on which the packet came. So it needs no
    distance, and the switch writes the same header whichever hop the packet takes.

    Members
    -------
    - in_state, out_state (In, Out): Digits at the switch before, and at this one: those of x lowest, each as of
      :func:`digit_code`. Without a bit of ``in_port``, ``in_state`` counts at this switch.
    - Others: Those of :class:`MinimalRoute`.
    """

    def __init__(self, network: Dsn, node=None):
        relation = DigitRelation(network)
        found = relation.digits
        #: Bits of signed lengths, and of all digits, of each dimension that has links.
        self._widths = [pair for pair in zip(found.distances.sign_widths, found.distances.widths) if pair[0]]
        bits = dict.fromkeys(("in_state", "out_state"), relation.digit_bits)
        self._begin(network, node, relation.classes, found.decisions, found.alternatives, **bits)

    def _state(self, m):
        linked, left, first = [axis for axis, size in enumerate(self._network.sizes) if size > 1], [], 0
        for axis, (signed, width) in zip(linked, self._widths):
            left.append(self._left(axis, self.in_state[first : first + width], signed))
            first += width
        self._answer(m, out_state=Cat(left))
        return Cat(*left, self._dst("id"))

    def _left(self, axis, digits, signed):
        """Digits of a dimension without the link on which the packet came."""
        count = len(digits) - 2 * signed
        rest, needs, signs = digits[:count], digits[count : count + signed], digits[count + signed :]
        came = {}
        for node, is_own in own_ids(self._network, self._node, self._own("id")).items():
            for link in port_links(self._network, node):
                if link.level is not None and self._network.dimensions.index(link.port.kind) == axis:
                    came.setdefault(link.offset, []).append(is_own & self.in_port[link.port.index])
        came = {offset: Cat(bits).any() for offset, bits in came.items()}
        # A hop covers the opposite of the offset of the link on which it came.
        steps = [(offset >> signed, bit) for offset, bit in came.items() if offset % (1 << signed) == 0]
        more = reduce(or_, (Mux(bit, Const(step % (1 << count), count), 0) for step, bit in steps), Const(0, count))
        lengths = [Cat(bit for offset, bit in came.items() if abs(offset) == 1 << place) for place in range(signed)]
        taken = Cat(bits.any() for bits in lengths)
        return Cat((rest + more)[:count], needs & ~taken, signs & ~taken)
