"""A small core with several hosts and channels."""

DSN = {
    "block": "switch-core",
    "topology": "ring:3:ring-2",
    "flit": 96,
    "packet": 3,
    "depth": 4,
    "hosts": 2,
    "channels": "host=2",
}
