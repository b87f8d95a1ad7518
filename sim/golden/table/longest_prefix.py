"""Model of longest-prefix match, for keys of any width: the correct answers of a ternary table.

As in Python's ``ipaddress``, a prefix is a network that contains addresses, and the smallest network that contains the key
gives the answer. Prefixes are compared as strings, so that the model shares no arithmetic with tables or gateware.
"""

__all__ = ["LongestPrefix"]


def bits(number, width):
    """``number`` in ``width`` binary digits, most significant first."""
    text = format(number, f"0{width}b") if width else ""
    if number < 0 or len(text) != width:
        raise ValueError(f"{number} does not fit into {width} bits")
    return text


class LongestPrefix:
    """Networks of addresses of ``width`` bits, each with an action.

    Parameters
    ----------
    width : int
        Bits of a key.
    networks : iterable of (int, int, object)
        Value, prefix length and action. Bits of the value after the prefix are ignored. All networks must be different.
    """

    def __init__(self, width, networks=()):
        self.width = width
        self._networks = {}
        for value, length, action in networks:
            self.add(value, length, action)

    def __len__(self):
        return len(self._networks)

    def add(self, value, length, action):
        """Add a network, which must be new."""
        name = self._name(value, length)
        if name in self._networks:
            raise ValueError(f"Network {name or 'of everything'} must not be added twice")
        self._networks[name] = action

    def drop(self, value, length):
        """Remove a network."""
        del self._networks[self._name(value, length)]

    def lookup(self, key):
        """``(action,)`` of the longest network that contains ``key``, or None."""
        address = bits(key, self.width)
        containing = [name for name in self._networks if address.startswith(name)]
        return (self._networks[max(containing, key=len)],) if containing else None

    def _name(self, value, length):
        return bits(value, self.width)[:length]
