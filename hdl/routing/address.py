"""The address of a switch as a group of ports."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

__all__ = ["AddressSignature"]


class AddressSignature(wiring.Signature):
    """Address of a switch.

    Parameters
    ----------
    fields : iterable of Field
        Fields of the address, such as those of a :class:`~dsnswitch.hdl.topology.Network`.

    Members
    -------
    <field> : Out(ceil(log2 size))
        Value of the field. A field with one possible value is no member.
    """

    def __init__(self, fields):
        super().__init__({field.name: Out(field.width) for field in fields if field.width})
