"""Gates of an XOR network."""

from amaranth.hdl import Cat, Const, Signal

from ..gf import XorNetwork

__all__ = ["xor_gates"]


def xor_gates(m, network: XorNetwork, bits, name):
    """Outputs of ``network`` over ``bits`` as one value, its nodes as signals ``<name>_<i>`` of module ``m``.

    Combinational, ``network.depth`` XOR levels.
    """
    if len(bits) != network.inputs:
        raise ValueError(f"An XOR network of {network.inputs} inputs cannot take {len(bits)} bits")
    values = list(bits)
    for index, (a, b) in enumerate(network.nodes):
        node = Signal(name=f"{name}_{index}")
        m.d.comb += node.eq(values[a] ^ values[b])
        values.append(node)
    return Cat(Const(0, 1) if bit is None else values[bit] for bit in network.outputs)
