"""Model of TKEEP: where a packet has the number of bytes of its last flit, by the text of docs/switch.md."""

#: Bytes of a head flit that a line carries.
CARRIED = 23


class ByteCount:
    """The byte before the end-to-end check of a packet, or the last one that there is."""

    @classmethod
    def of(cls, manifest):
        """The count in the packets of a switch; None without one."""
        return cls(manifest) if "byte_count" in manifest else None

    def __init__(self, manifest):
        check = manifest.get("end_to_end", {"last_flit": None, "only_flit": None})
        #: Bytes of a flit.
        self.lanes = manifest["parameters"]["flit"] // 8
        self._last = self._before(check["last_flit"], self.lanes)
        self._only = self._before(check["only_flit"], min(self.lanes, CARRIED))

    @staticmethod
    def _before(check, end):
        return (check[0] // 8 if check else end) - 1

    def place(self, flits):
        """Number of the byte with the count, in the last flit of a packet of ``flits`` flits: as many bytes may count."""
        return self._last if flits > 1 else self._only

    def stamped(self, words, count):
        """The flits of a packet with its count, as numbers; 0 says that TKEEP was wrong."""
        low = 8 * self.place(len(words))
        return [*words[:-1], words[-1] & ~(255 << low) | count << low]

    def kept(self, count):
        """TKEEP of the last flit."""
        return (1 << count) - 1
