"""Cores that tests of the simulator share, so that each is emitted and compiled once, and the forms of the simulator's code."""

import pytest

from dsnswitch.sim.network.compile import compiler

CORE = {"block": "switch-core"}
#: Two switches, of which Verilator makes instances too.
PAIR = CORE | {"topology": "torus:2", "flit": 48, "packet": 3, "depth": 8, "hosts": 2}
RING = CORE | {"topology": "torus:4", "flit": 64, "packet": 4, "depth": 8}
CUBE = CORE | {"topology": "hypercube:3", "flit": 32, "packet": 4, "depth": 8}
#: Several hosts and channels.
DSN = CORE | {"topology": "ring:3:ring-2", "flit": 96, "packet": 3, "depth": 4, "hosts": 2, "channels": "2"}
#: 27 switches, of which each has two local links and two or three shortcuts.
DETOUR = CORE | {"topology": "grid:3x3:ring-3", "routing": "detour", "flit": 64, "packet": 1, "depth": 2}
TABLE = CORE | {"topology": "torus:4x4", "flit": 48, "packet": 4, "lookup": "table", "entries": 24}
LAYERS = CORE | {"topology": "torus:4x4", "flit": 48, "packet": 4, "lookup": "table", "kind": "direct", "layers": 4}
FORWARDING = CORE | {"topology": "ring:3:ring-2", "flit": 64, "packet": 2, "lookup": "forwarding"}
#: More switches than a word of 512 bits has places.
MANY = CORE | {"topology": "torus:24x24", "flit": 48, "packet": 2, "depth": 2}

_NO_AVX512 = pytest.mark.skipif(compiler.best_form() != "avx512", reason="This machine has no AVX-512 with VBMI")
#: A test of both forms has the same names on every machine; what this one cannot run is skipped.
FORMS = [pytest.param(name, marks=_NO_AVX512 if name == "avx512" else ()) for name in compiler.FORMS]
