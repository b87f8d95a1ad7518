"""The status of a fabric port: state of its link and counters."""

__all__ = ["FabricStatus"]

#: Fields of the status that are not counters.
NO_COUNTERS = ("state", "mismatch", "peer")


class FabricStatus:
    """Reads output ``<prefix>status``. The manifest states its fields for port ``<owner>status``."""

    def __init__(self, dut, prefix, manifest, owner):
        [port] = [port for port in manifest["ports"] if port["name"] == f"{owner}status"]
        self._fields = {field["name"]: field["bits"] for field in port["fields"]}
        self._handle = getattr(dut, f"{prefix}status")
        self._states = manifest["fabric"]["states"]

    def _value(self, name, word):
        low, high = self._fields[name]
        return word >> low & (1 << high - low + 1) - 1

    @property
    def state(self):
        """Name of the link's state."""
        return self._states[self._value("state", int(self._handle.value))]

    def counters(self):
        """``{name: count}``."""
        word = int(self._handle.value)
        return {name: self._value(name, word) for name in self._fields if name.partition(".")[0] not in NO_COUNTERS}
