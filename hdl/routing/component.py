"""The parts that every route logic shares: ports, own address, check of the destination, registered outputs."""

from amaranth.hdl import Cat, Const
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.address import DESTINATION, OWN, AddressSignature
from dsnswitch.net.checks import Parameter

__all__ = ["RouteComponent"]


class RouteComponent(wiring.Component):
    """Route logic of one switch: from the destination to the output port. Subclasses define ``elaborate``.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases.

    Parameters
    ----------
    network : Network
        The network.
    node : tuple of int or None
        None makes the *universal* logic, one netlist for every switch, with its address as the input ``own``. An
        address makes the *specialised* logic of that switch, without these inputs.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).
    inputs, outputs : dict
        Members before ``out_port``, and between ``out_port`` and the verdicts.
    verdicts : tuple of str
        One-bit outputs that say why the packet takes no port.

    Members
    -------
    own : In(AddressSignature)
        Own address: static straps. At an address that does not exist, every packet is ``invalid``. Only in the universal logic.
    dst : In(AddressSignature)
        Address of the destination.
    out_port : Out(ports)
        One-hot output port, by the index of the network's ``ports``.
    arrived : Out(1)
        The destination is this switch.
    invalid : Out(1)
        The destination or the own address does not exist. Exactly one bit of ``out_port`` and the verdicts is set.
    """

    network = Parameter("The network.")
    node = Parameter("Own address as a constant, or None.")
    register = Parameter("Whether the outputs are registered.")

    def __init__(self, network, node, register, *, inputs=(), outputs=(), verdicts=("arrived", "invalid")):
        self._network, self._node, self._register = network, node, bool(register)
        members = {} if node is not None else {"own": In(AddressSignature(network.fields, OWN))}
        members |= {"dst": In(AddressSignature(network.fields, DESTINATION))}
        members |= {**dict(inputs), "out_port": Out(len(network.ports)), **dict(outputs)}
        super().__init__(members | {name: Out(1) for name in verdicts})

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return int(self._register)

    def _own(self, name):
        """Own address field ``name``: a strap of the universal logic, a constant of the specialised logic."""
        if self._node is None:
            return getattr(self.own, name, Const(0, 0))
        values = dict(zip((field.name for field in self._network.fields), self._node))
        return Const(values[name], next(field.width for field in self._network.fields if field.name == name))

    def _dst(self, name):
        """Field ``name`` of the destination's address."""
        return getattr(self.dst, name)

    def _outside(self, m):
        """Whether the destination does not exist, or the switch itself, if its address is on straps."""
        missing = self._missing(self._dst)
        if self._node is None and len(own := self._missing(self._own)):
            missing = Cat(missing, self._static(m, own.any(), "own_is_missing"))
        return missing.any()

    def _missing(self, address):
        """Bits, at least one of which is set if an address does not exist. ``address`` gives a field by name."""
        fields = [field for field in self._network.fields if field.size & (field.size - 1)]
        return Cat(address(field.name) >= field.size for field in fields)

    def _static(self, m, value, name):
        """``value``, which depends on straps only, when packets need it. Registered straps need it one cycle later."""
        return value

    def _answer(self, m, **values):
        """Drive the outputs named, through registers if there are any."""
        domain = m.d.sync if self._register else m.d.comb
        domain += [getattr(self, name).eq(value) for name, value in values.items()]
