"""Rings of a torus with bubbles: which packets enter one, and whether each of them leaves a flit free."""

from dsnswitch.net.topology.registry import network_of_manifest


class Bubbles:
    """The rings at the ports of a core, by the text of its manifest; none with another routing."""

    def __init__(self, manifest):
        self._ports, sizes = manifest["core_ports"], manifest["parameters"]
        self._depth, self._longest = sizes["depth"], sizes["packet"]
        self.exist = sizes.get("routing") == "bubble"
        #: Kinds of ports in rings that have them.
        self._kinds = set()
        if self.exist:
            self._kinds = {field.name for field in network_of_manifest(manifest).fields if field.size >= 4}
        #: Packets that began in a ring with less space than they need, and those that entered one.
        self.in_parts = self.entered = 0

    def enters(self, source, way):
        """Whether packets that come on the input channel ``source`` enter a ring with the output channel ``way``.

        In a ring a packet goes from a port to the other one of its dimension, on the same channel.
        """
        kind = self._ports[way[0]]["kind"]
        return kind in self._kinds and not (self._ports[source[0]]["kind"] == kind and source[1] == way[1])

    def is_covered(self):
        """Whether packets have entered rings, and, where buffers are short, gone on without space for all of their flits."""
        return not self.exist or (self.entered and (self.in_parts or self._depth > self._longest + 1))

    def watched(self, model, receivers):
        """Let ``model`` compare the space in a receiver with the length of each packet that begins in a ring."""

        def began(source, way, length):
            if self._ports[way.output]["kind"] not in self._kinds:
                return
            # Before the head, as it was sent; credits may have returned since then.
            free = self._depth - len(receivers[way.output].full[way.channel])
            if not self.enters(source, way):
                self.in_parts += free < length
                return
            self.entered += 1
            assert free > length, f"{source} enters a ring by {way} with {length} flits, where {free} are free"

        model.began = began
