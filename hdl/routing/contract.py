"""The contract of route logic: what a switch asks about a packet, what it is answered, and what all route logics share."""

from amaranth.hdl import Cat, Const
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from dsnswitch.net.checks import Parameter
from dsnswitch.net.tables.trie import ANY, MISS, blocks, trie

#: Roles of an address: that of the switch itself, which is static, and that of a packet's destination.
OWN, DESTINATION = "own-address", "destination-address"


class AddressSignature(wiring.Signature):
    """Address of a switch.

    Parameters
    ----------
    fields : iterable of Field
        Fields of the address, such as those of a :class:`Network`.
    role : str
        :data:`OWN` or :data:`DESTINATION`.

    Members
    -------
    - <field> (Out(ceil(log2 size))): Value of the field. A field with one possible value is no member.
    """

    def __init__(self, fields, role):
        self._fields, self._role = [field for field in fields if field.width], role
        super().__init__({field.name: Out(field.width) for field in self._fields})

    @property
    def attributes(self):
        """What the manifest of a top says of each member."""
        return {
            field.name: {
                "role": self._role,
                "static": self._role == OWN,
                "field": field.name,
                "range": [0, field.size - 1],
                "encoding": "unsigned",
            }
            for field in self._fields
        }


class Question(wiring.Signature):
    """What a switch asks about a packet. A member that a logic does not use has no bits, and is no port of a top.

    Parameters
    ----------
    fields : iterable of Field
        Fields of the network's addresses.
    universal : bool
        The address of the switch is an input. Otherwise ``own`` has no members.
    sizes : dict
        ``{dimension: bits}`` if the size of the network is an input.
    bits
        Bits of the other members, by name; 0 if not given.

    Members
    -------
    - own (Out(AddressSignature)): Address of the switch: static.
    - dst (Out(AddressSignature)): Address of the destination.
    - size (Out(Signature)): Size of the network in each dimension: static.
    - in_port (Out(ports)): Port on which the packet came, one-hot; 0 from a host.
    - in_class (Out(ceil(log2 classes))): Virtual channel class on which the packet came; 0 from a host.
    - in_state (Out): Bits of the header that the logic wrote at the switch before; 0 from a host.
    - layer (Out): Layer of the header, which is the class of a packet that follows tables.
    - packet_table (Out(1)): The packet follows tables.
    - dead (Out(ports)): Ports whose link has failed. Static, or read with the answer.
    - up (Out(ports)): Ports to switches of higher rank, for turn classes. Static.
    """

    #: Members that the packet brings. The others are static or come from the switch itself.
    PACKET = ("dst", "in_port", "in_class", "in_state", "layer", "packet_table")

    #: Members that not every logic uses.
    NAMES = (*PACKET[1:], "dead", "up")

    def __init__(self, fields, *, universal=True, sizes=(), **bits):
        members = {
            "own": Out(AddressSignature(fields if universal else (), OWN)),
            "dst": Out(AddressSignature(fields, DESTINATION)),
            "size": Out(wiring.Signature({name: Out(width) for name, width in dict(sizes).items()})),
        }
        super().__init__(members | {name: Out(bits.get(name, 0)) for name in self.NAMES})


class Answer(wiring.Signature):
    """The answer to a :class:`Question`. Exactly one bit of ``out_port`` and of the verdicts after ``returns`` is set, except as
    :class:`Forwarding` states. A member that a logic does not use has no bits, which counts as 0.

    Members
    -------
    - out_port (Out(ports)): One-hot output port, by the index of the network's ``ports``.
    - out_class (Out(ceil(log2 classes))): Virtual channel class of the next hop. It means nothing where the port has one class.
    - other_port, other_class (Out(ports), Out): Another hop that the packet may take in place of ``out_port`` and ``out_class``.
    - out_state (Out): Bits of the header from here on, as ``in_state``.
    - by_table (Out(1)): The packet follows tables from here on. If the question has no ``layer``, it takes the last class of
      the port, which no other packet takes.
    - returns (Out(1)): The packet may leave by the port on which it came.
    - arrived (Out(1)): The destination is this switch.
    - undeliverable (Out(1)): The destination is another switch, and no port leads on.
    - invalid (Out(1)): The destination or the own address does not exist.
    """

    #: Members by the order of their ports.
    NAMES = ("out_port", "out_class", "other_port", "other_class", "out_state", "by_table", "returns", "arrived")
    NAMES += ("undeliverable", "invalid")

    def __init__(self, ports, **bits):
        bits = {"out_port": ports, "arrived": 1, "invalid": 1} | bits
        super().__init__({name: Out(bits.get(name, 0)) for name in self.NAMES})


class RouteComponent(wiring.Component):
    """Route logic of one switch: it answers a :class:`Question`. Subclasses define ``elaborate``.

    Latency 0 cycles (combinational), or 1 if :meth:`registered`; one packet per cycle in both cases.

    Parameters
    ----------
    network : Network
        The network.
    node : tuple of int or None
        None makes the *universal* logic, one netlist for every switch, with its address as the input ``own``. At an
        address that does not exist, every packet is ``invalid``. An address makes the *specialised* logic of that switch.
    sizes : dict
        ``{dimension: bits}`` if the size of the network is an input.
    more : dict
        Members that no other logic has.
    bits
        Bits of the members of :class:`Question` and :class:`Answer` that not every logic uses.

    Members
    -------
    - own, .., dead: Those of :class:`Question`, as inputs.
    - out_port, .., invalid: Those of :class:`Answer`.
    """

    #: Every class that the logic answers exists at the port, even for a packet that no route brings to the switch.
    bounded = True

    network = Parameter("The network.")
    node = Parameter("Own address as a constant, or None.")

    def __init__(self, network, node, *, sizes=(), more=(), **bits):
        if unknown := bits.keys() - {*Question.NAMES, *Answer.NAMES}:
            raise TypeError(f"Route logic has no member {min(unknown)}")
        self._network, self._node, self._register = network, node, False
        question = Question(network.fields, universal=node is None, sizes=sizes, **bits)
        answer = Answer(len(network.ports), **bits)
        super().__init__({**question.flip().members, **answer.members, **dict(more)})

    def registered(self):
        """The same logic, whose outputs are registered in the domain ``sync`` (rising edge, synchronous reset to 0)."""
        self._register = True
        return self

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return int(self._register)

    def _own(self, name):
        """Own address field ``name``: a strap of the universal logic, a constant of the specialised logic."""
        field, place = next((field, place) for place, field in enumerate(self._network.fields) if field.name == name)
        if self._node is not None:
            return Const(self._node[place], field.width)
        return getattr(self.own, name) if field.width else Const(0, 0)

    def _dst(self, name):
        """Field ``name`` of the destination's address; 0 without bits if the field has one value."""
        return getattr(self.dst, name) if name in self.dst.signature.members else Const(0, 0)

    def _outside(self, m):
        """Whether the destination does not exist or has no hosts, or the switch itself does not exist, if its address is on
        straps.
        """
        missing = Cat(self._missing(self._dst), self._without_hosts())
        return (missing if self._node is not None else Cat(missing, self._missing(self._own))).any()

    def _missing(self, address):
        """Bits, at least one of which is set if an address does not exist. ``address`` gives a field by name."""
        fields = [field for field in self._network.fields if field.size & (field.size - 1)]
        return Cat(address(field.name) >= field.size for field in fields)

    def _without_hosts(self):
        """Bits, one of which is set if the destination is a switch without hosts."""
        if self._network.hosted == self._network.nodes:
            return Const(0, 0)
        (field,) = self._network.fields
        found = [MISS if self._network.hosts_of(switch) else 1 for switch in self._network.switches()]
        found += [ANY] * ((1 << field.width) - len(found))
        dst, width = self._dst(field.name), field.width
        prefixes = blocks(trie(found, width))
        return Cat(dst[width - length :] == bits for bits, length, _ in prefixes)

    def _answer(self, m, **values):
        """Drive the outputs named, through registers if there are any."""
        domain = m.d.sync if self._register else m.d.comb
        domain += [getattr(self, name).eq(value) for name, value in values.items()]
