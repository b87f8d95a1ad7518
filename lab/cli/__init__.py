"""Commands of the laboratory. ``dsnswitch.gen.cli`` adds them to its own."""

_HARDWARE = {
    "synth": "Synthesize: area, levels, delay, latency and throughput.",
    "budget": "Compare area and period of all blocks with their ceilings; exit status 1 if a ceiling is exceeded.",
    "report": "Write a page with tables and plots of all measurements; figures that are not current are measured.",
    "figures": "Measure the figures that README and docs state, and write them there.",
    "fpga": "Place and route on an ECP5: LUTs, flip-flops, RAM, Fmax.",
    "layout": "Place and route: delay, area and picture with wires.",
}
_LINK = "Analyse links: error rates and false packets, by the dissertation's formulas and as built."

#: Module and short help of each command.
COMMANDS = {name: ("dsnswitch.lab.cli.hardware", text) for name, text in _HARDWARE.items()}
COMMANDS["speed"] = ("dsnswitch.lab.cli.speed", "Measure the speed of simulations against Verilator's instances.")
COMMANDS["link"] = ("dsnswitch.lab.cli.link", _LINK)
COMMANDS["sweep"] = (
    "dsnswitch.lab.cli.sweep",
    "Sweep simulations over networks, routings, traffic and loads: curves, tables, plots.",
)
COMMANDS["papers"] = (
    "dsnswitch.lab.cli.papers",
    "Measure the networks that the papers compare, record them in docs/papers.json, and draw the papers' figures on a page.",
)
COMMANDS["compare"] = (
    "dsnswitch.lab.cli.compare",
    "Compare all networks that hold a number of hosts: latency, cables, cost, power, bisection, saturation; table or page.",
)
