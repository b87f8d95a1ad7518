"""Asks the subnet manager for the service level of paths; a program of its own, which ``ibsim-run`` joins to a simulated fabric.

Its words are GUIDs of ports. It prints a JSON list with a row of levels for each source.
"""

import ctypes
import json
import sys

#: Classes of management: queries by route, and of the subnet's administration.
_CLASSES = (0x81, 0x03)

#: Sizes that no structure of the library exceeds, and where a path record has the service level in the lower half of a byte.
_STRUCTURE, _LEVEL = 1024, 53

#: Prefix of the global identifiers of a subnet.
_PREFIX = 0xFE80 << 112


def levels(guids):
    """The service level of the path from each of the ports to each, as rows of a list."""
    library = ctypes.CDLL("libibmad.so.5")
    library.mad_rpc_open_port.restype = ctypes.c_void_p
    port = ctypes.c_void_p(library.mad_rpc_open_port(None, 0, (ctypes.c_int * 2)(*_CLASSES), 2))
    manager, record = (ctypes.create_string_buffer(_STRUCTURE) for _ in range(2))
    if not port or library.ib_resolve_smlid_via(manager, 0, port):
        raise SystemExit("no subnet manager")
    ends = [(_PREFIX | guid).to_bytes(16, "big") for guid in guids]

    def level(source, target):
        if library.ib_path_query_via(port, source, target, manager, record) <= 0:
            raise SystemExit(f"no path from {source.hex()} to {target.hex()}")
        return record.raw[_LEVEL] & 15

    return [[level(source, target) for target in ends] for source in ends]


if __name__ == "__main__":
    print(json.dumps(levels([int(word, 16) for word in sys.argv[1:]])))
