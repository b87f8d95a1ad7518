"""Commands of the laboratory. ``dsnswitch.gen.cli`` adds them to its own."""

#: Short help of each command, by the module here that has it.
HELP = {
    "hardware": {
        "synth": "Synthesize: area, levels, delay, latency and throughput.",
        "fpga": "Place and route on an ECP5: LUTs, flip-flops, RAM, Fmax.",
        "layout": "Place and route: delay, area and picture with wires.",
    },
    "link": {"link": "Analyse links: error rates and false packets, by the dissertation's formulas and as built."},
    "sweep": {"sweep": "Sweep simulations over networks, routings, traffic and loads: curves, tables, plots."},
    "compare": {
        "compare": "Compare all networks that hold a number of hosts: latency, cables, cost, power, bisection, saturation; "
        "table or page."
    },
}

#: Module and short help of each command.
COMMANDS = {name: (f"dsnswitch.lab.cli.{module}", text) for module, found in HELP.items() for name, text in found.items()}
