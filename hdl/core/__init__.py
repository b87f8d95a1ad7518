"""The switch: forwarding (algorithm and table), and the core that moves packets."""
