"""The switch: a core with a fabric port on each port to another switch, and host ports, in one top."""
