"""Tables that a file gives for the switches of a graph."""

from dsnswitch.net.errors import UsageError
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables, check_size
from dsnswitch.net.tables.load import read_file
from dsnswitch.net.tables.switch_graph import text

__all__ = ["given_tables"]


def given_tables(fabric, path):
    """The tables of a file as :class:`Tables` of a fabric, which are not checked.

    Raises
    ------
    UsageError
        If a switch has no table, a table has no switch, or keys or ports cannot be those of the fabric.
    """
    check_size(fabric)
    found, head = read_file(path)
    by_name = {table.name: table for table in found}
    wanted = {f"{fabric.kind} {text(switch)}": switch for switch in fabric.ports}
    missing = next((name for name in wanted if name not in by_name), None)
    if missing is not None:
        raise UsageError(f"{path} has no table {missing!r}, a switch of {fabric.name}")
    for table in found:
        if table.name not in wanted:
            raise UsageError(f"{path}: table {table.name!r} is of no switch of {fabric.name}")
        if table.width < fabric.width:
            raise UsageError(
                f"{path}, {table.name}: keys have {table.width} bits, {fabric.name} has keys of {fabric.width}"
            )
    port_bits = fabric.most_ports.bit_length()
    keys = {text(end): key for end, key in fabric.keys.items()}
    if head.get("port_bits", port_bits) != port_bits:
        raise UsageError(f"{path}: port_bits must be {port_bits} for {fabric.name}, not {head['port_bits']}")
    if head.get("destinations", keys) != keys:
        raise UsageError(f"{path}: destinations have other names or keys than in {fabric.name}")
    greatest = max((entry.action for table in found for entry in table.entries), default=0)
    by_switch = {switch: by_name[name] for name, switch in wanted.items()}
    return Tables(fabric, Wiring(fabric), "given", 1 + (greatest >> port_bits), port_bits, by_switch)
