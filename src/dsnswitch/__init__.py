"""Open RTL of a low-latency switch for the Distributed Shortcut Network. The folders here are links to those at the top."""
