"""Forms of the simulation's code. A test of both has the same names on every machine; what this one cannot run is skipped."""

import pytest

from dsnswitch.sim.network.compile import compiler

NO_AVX512 = pytest.mark.skipif(compiler.best_form() != "avx512", reason="This machine has no AVX-512 with VBMI")

FORMS = [pytest.param(name, marks=NO_AVX512 if name == "avx512" else ()) for name in compiler.FORMS]
