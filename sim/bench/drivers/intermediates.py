"""Packets of a core bench that go over an intermediate switch, if the core has routes in two stages."""

from dsnswitch.sim.golden.core.two_stage import target

#: Share of the random packets whose header names an intermediate switch.
SHARE = 0.5


class Intermediates:
    """What headers say of intermediate switches. Packets from hosts are marked to stay in order, so that they go straight.

    Parameters
    ----------
    manifest : dict
        Of the core.
    own : tuple of int
        Its switch.
    fields : list of str
        Names of the fields of an address.
    rng : Random
    """

    def __init__(self, manifest, own, fields, rng):
        #: Whether headers name intermediate switches.
        self.exist = any(field["name"] == "flags.intermediate.valid" for field in manifest["header"])
        self._own, self._rng = own, rng
        widths = {field["name"]: field["bits"][1] - field["bits"][0] + 1 for field in manifest["header"]}
        self._widths = [(name, widths.get(f"flags.intermediate.{name}", 0)) for name in fields]

    def marks(self, is_host):
        """``{name: value}`` of every packet from a host, or from another switch."""
        return {"flags.ordered": 1} if self.exist and is_host else {}

    def drawn(self):
        """The same of a random packet."""
        if not self.exist or self._rng.random() > SHARE:
            return {}
        values = {f"flags.intermediate.{name}": self._rng.getrandbits(width) for name, width in self._widths if width}
        return {"flags.intermediate.valid": 1} | values

    def target(self, values, destination, is_host):
        """``(switch to which a packet goes from here, changes to its header)``; ``values`` are those of its header."""
        if not self.exist:
            return destination, {}
        middle = tuple(values.get(f"flags.intermediate.{name}", 0) for name, _ in self._widths)
        to, left = target(self._own, destination, middle if values["flags.intermediate.valid"] and not is_host else None)
        address = left or (0,) * len(self._widths)
        changes = {f"flags.intermediate.{name}": value for (name, width), value in zip(self._widths, address) if width}
        return to, {"flags.intermediate.valid": int(left is not None)} | changes
