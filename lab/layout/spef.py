"""Writes the resistors and capacitors of every net of a layout as SPEF, for timing tools."""

__all__ = ["spef"]

_HEAD = """*SPEF "IEEE 1481-1998"
*DESIGN "layout"
*DATE ""
*VENDOR ""
*PROGRAM "dsnswitch"
*VERSION ""
*DESIGN_FLOW ""
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER [ ]
*T_UNIT 1 NS
*C_UNIT 1 PF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""


def spef(netlist, technology, found):
    """SPEF text of :func:`parasitics`: capacitance in pF, resistance in ohm."""
    lines = [_HEAD]
    for net, one in found.items():
        names = {}
        lines += [f"*D_NET {net} {one.capacitance:.8f}", "*CONN"]
        for cell, pin in one.ends:
            names[cell, pin] = f"{cell}:{pin}" if cell else pin
            if cell:
                way = technology.macros[netlist.cells[cell].kind].pins[pin].direction
                lines.append(f"*I {cell}:{pin} {way[0].upper()}")
            else:
                lines.append(f"*P {pin} {netlist.ports[pin].direction[0].upper()}")
        nodes = [*one.capacitances, *(node for pair in one.resistors for node in pair[:2])]
        for node in nodes:
            names.setdefault(node, f"{net}:{len(names)}")
        lines.append("*CAP")
        lines += [f"{i} {names[node]} {value:.8f}" for i, (node, value) in enumerate(one.capacitances.items(), 1)]
        lines.append("*RES")
        lines += [f"{i} {names[a]} {names[b]} {ohm:.4f}" for i, (a, b, ohm) in enumerate(one.resistors, 1)]
        lines += ["*END", ""]
    return "\n".join(lines) + "\n"
