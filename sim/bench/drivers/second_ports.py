"""Second ports of the entries of a switch's table, and the hops that they offer to packets."""

from dsnswitch.sim.golden.core.core import hops_of_entry


class SecondPorts:
    """A random port of the network for every destination, or none, if the tables of a core have no second port.

    Parameters
    ----------
    manifest : dict
        Of the core.
    destinations : iterable
        Switches.
    rng : Random
    """

    def __init__(self, manifest, destinations, rng):
        parameters, self._ports = manifest["parameters"], len(manifest["outputs"])
        self.exist = parameters["lookup"] == "table" and parameters.get("adaptive", False)
        self._classes = parameters.get("classes", 1)
        indices = [port["index"] for port in manifest["core_ports"] if port["kind"] != "host"]
        self._of = {switch: rng.choice(indices) for switch in destinations} if self.exist else {}

    def action(self, switch, first):
        """The action of an entry: the first port, and the second one above it; there is one choice if the packet arrives."""
        if not self.exist:
            return first
        return (first if first == self._ports else self._of[switch]) << self._ports.bit_length() | first

    def hop(self, switch, arrival, dead, up):
        """``(port, class)`` of the second hop of a packet, or None; ``arrival`` as of :func:`hops_of_entry`."""
        dead = sum(1 << port for port in dead)
        return hops_of_entry(self._ports, (0, self._of[switch]), arrival, self._classes, dead, up)[1] if self.exist else None
