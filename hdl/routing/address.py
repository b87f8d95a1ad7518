"""The address of a switch as a group of ports."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

__all__ = ["DESTINATION", "OWN", "AddressSignature"]

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
    <field> : Out(ceil(log2 size))
        Value of the field. A field with one possible value is no member.
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
