"""Whoever imports the gateware, or emits a block, has Amaranth as it was: its classes are replaced during a conversion only."""

import subprocess
import sys

PROGRAM = """
import pkgutil
from importlib import import_module
import amaranth
from amaranth.hdl import Fragment, Module

def classes():
    found = {}
    for info in pkgutil.walk_packages(amaranth.__path__, "amaranth."):
        if info.name.startswith(("amaranth.hdl", "amaranth.lib", "amaranth.back", "amaranth.sim")):
            for name, value in vars(import_module(info.name)).items():
                if isinstance(value, type) and value.__module__.startswith("amaranth"):
                    found[info.name, name] = value, dict(vars(value))
    return found

def compare(when):
    for key, (kind, members) in classes().items():
        methods = {name: value for name, value in members.items() if callable(value) or hasattr(value, "__get__")}
        changed = [name for name, value in methods.items() if before[key][1].get(name) is not value]
        assert kind is before[key][0] and not changed, (when, key, changed)

Fragment.get(Module(), None)  # Amaranth itself records that something was elaborated.
before = classes()
import dsnswitch.hdl.core.core
from dsnswitch.gen.emit.folder import files_of
from dsnswitch.gen.config import build
compare("import")
files_of(build({"p": 1}))
compare("conversion")
Fragment.get(build({"p": 1}).component(), None)
"""


def test_no_class_of_amaranth_stays_replaced():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
