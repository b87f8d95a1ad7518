"""Commands of the laboratory. ``dsnswitch.gen.cli`` adds them to its own."""

__all__ = ["COMMANDS"]

#: Module and short help of each command.
COMMANDS = {
    "synth": ("dsnswitch.lab.cli.hardware", "Synthesize: area, levels, delay, latency and throughput."),
    "budget": (
        "dsnswitch.lab.cli.hardware",
        "Compare area and period of all blocks with their ceilings; exit status 1 if a ceiling is exceeded.",
    ),
    "report": (
        "dsnswitch.lab.cli.hardware",
        "Write a page with tables and plots of all measurements; figures that are not current are measured.",
    ),
    "figures": ("dsnswitch.lab.cli.figures", "Measure the figures that README and docs state, and write them there."),
    "fpga": ("dsnswitch.lab.cli.hardware", "Place and route on an ECP5: LUTs, flip-flops, RAM, Fmax."),
    "layout": ("dsnswitch.lab.cli.layout", "Place and route: delay, area and picture with wires."),
    "link": (
        "dsnswitch.lab.cli.link",
        "Analyse links: error rates and false packets, by the dissertation's formulas and as built.",
    ),
}
