"""Equal blocks side by side, so that a bench asks many questions in one time step.

Most of the time of a bench goes to the accesses to ports, and an access to a wide port takes little longer.
"""

#: Ports that all blocks share.
SHARED = ("clk", "rst")


def in_lanes(manifest, count):
    """Verilog of the module ``lanes``: ``count`` instances of the top of ``manifest``.

    It has the same ports. Those other than clock and reset are ``count`` times as wide, with the first instance at bit 0.
    """
    ports, pins = [], []
    for port in manifest["ports"]:
        name, width = port["name"], port["width"]
        size = "" if name in SHARED else f"[{count * width - 1}:0] "
        ports.append(f"  {port['direction']} wire {size}{name}")
        pins.append(f"    .{name}({name})")
    return (
        "module lanes(\n" + ",\n".join(ports) + "\n);\n"
        f"  {manifest['top']} lane [{count - 1}:0] (\n" + ",\n".join(pins) + "\n  );\nendmodule\n"
    )
