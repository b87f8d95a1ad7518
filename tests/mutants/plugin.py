"""pytest plugin that judges generated mutants by the tests of a session.

Each test runs once on the design as it is. Meanwhile the plugin replaces what emits and simulates: the bench runs on a netlist
that has many mutants and a number that selects one. Then the same test function runs once for each mutant that no test before
has caught, with another number. So a simulator is compiled once for all of them.

A scan before that runs no bench. It notes which test has which modules, so that mutants are made of the modules that are tested
most.
"""

import functools
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from types import SimpleNamespace

import amaranth.sim
import pytest
from _pytest.runner import runtestprotocol
from amaranth.hdl import Fragment
from amaranth.lib import wiring
from mutants.gates import Gates
from mutants.netlist import Failed
from mutants.verdicts import Netlist, Verdicts

from dsnswitch.gen.emit.manifest import flat_members
from dsnswitch.gen.emit.verilog import convert as converting
from dsnswitch.gen.emit.verilog import fragments, hierarchy
from dsnswitch.lab.synth import yosys
from dsnswitch.sim import run
from dsnswitch.sim.run import SimulationError

#: Fixtures in rising order of the cost of their tests: Amaranth's simulator, SAT, Verilator.
COSTS = ("simulate", "prove", "induct", "bounded", "lab", "joined")

#: Places of proofs in this order.
PROOFS = range(2, 5)

#: What a test says about a module: a proof of one property, a simulation of a design in which the module is, one of it alone.
PROOF, PART, ALONE = 1, 30, 1000

#: Module that stands for a netlist until its Verilog is read, and the line that names the netlist.
STUB, NETLIST = r"^module \w+\(\); // \w+\nendmodule\n", r"^(?://|#) netlist (\w+)$"


class Scanned(Exception):
    """A test would begin to simulate."""


class TooLong(Exception):
    """A test takes too long."""


class Judge:
    """The mutant that is selected, the netlists of the test, and its results without mutant."""

    def __init__(self, record):
        self.record, self.current, self.used, self.results, self.owners, self.netlists = record, None, [], {}, {}, {}
        self.scans = True

    def made(self, component, name):
        """The :class:`Netlist` of a component."""
        library = hierarchy.Library(name)
        with hierarchy._alone():
            top = hierarchy._convert(component, flat_members(component), {}, hierarchy.kept or {}, False)
        text = library.fill(top)
        modules = {name: top} | {other: module for module, other in library._known.items()}
        return self.use(text, name, {name: (self.owners[module], module.text) for name, module in modules.items()})

    def watched(self, monitor, text, name):
        """The :class:`Netlist` of a monitor, which may look into its unit, so that Amaranth itself makes the modules."""
        owners = {}
        for module, body in re.findall(r"^module \\(\S+)$(.*?)^end$", text, re.MULTILINE | re.DOTALL):
            files = Counter(re.findall(r"src/(dsnswitch/hdl/[\w/]+)\.py", body)).most_common(1)
            # The property is about the unit, and perhaps not about its parts.
            place = files[0][0].replace("/", ".") if files and module == f"{name}.unit" else ""
            owners[module] = SimpleNamespace(__module__=place, __qualname__=type(monitor.unit).__qualname__), body
        return self.use(text, name, owners)

    def use(self, text, top, owners):
        """The :class:`Netlist`, which the present test uses."""
        one = Netlist(text, top, owners, self.record)
        one = self.netlists.setdefault(one.key, one)
        if not self.scans:
            one.prepare()
        self.used.append(one)
        return one

    def named(self, path):
        """``(text of a file, keys of its netlists, whether one of them has the selected mutant)``"""
        text = Path(path).read_text(encoding="utf-8")
        keys = list(dict.fromkeys(re.findall(NETLIST, text, re.MULTILINE)))
        touched = not keys or self.current is None or any(self.current in self.netlists[key].mutants for key in keys)
        return text, keys, touched

    def once(self, key, touched, call):
        """The result of ``call``, or what it was without mutant if the selected one cannot change it."""
        if self.scans and self.used:
            raise Scanned
        if not touched and key in self.results:
            return self.results[key]
        result = call()
        if self.current is None:
            self.results[key] = result
        return result


def instead(owner, name):
    """Decorator: the function is called instead of ``name`` of ``owner``, which is its first argument, in all modules."""

    def decorate(function):
        old = getattr(owner, name)
        new = functools.partial(function, old)
        for module in [owner, *sys.modules.values()]:
            if vars(module).get(name) is old:
                setattr(module, name, new)
        return new

    return decorate


def install(judge):
    """Replace what emits and simulates."""
    # Every cell names the line of its source.
    design = fragments.rtlil.Design
    fragments.rtlil.Design = lambda emit_src: design(emit_src=True)

    @instead(hierarchy, "_convert")
    def convert_one(real, component, *more):
        module = real(component, *more)
        judge.owners[module] = type(component)
        return module

    @instead(converting, "convert")
    def convert(real, component, name, *more):
        return f"// netlist {judge.made(component, name).key}\nmodule {name}(); // {name}\nendmodule\n"

    @instead(hierarchy, "hierarchical_rtlil")
    def hierarchical_rtlil(real, component, name):
        one = judge.made(component, name)
        return f"# netlist {one.key}\n{one.raw}"

    @instead(fragments, "whole_rtlil")
    def whole_rtlil(real, part, ports, name):
        one = judge.watched(part, real(part, ports, name), name)
        return f"# netlist {one.key}\n{one.raw}"

    @instead(yosys, "commands")
    def commands(real, steps, folder):
        if not (path := Path(folder, "proof.il")).exists():
            return real(steps, folder)
        _, keys, touched = judge.named(path)
        if keys and touched and judge.current is not None:
            path.write_text(judge.netlists[keys[0]].rtlil(judge.current), encoding="utf-8")
        return judge.once(str(steps), touched, lambda: real(steps, folder))

    @instead(run, "model")
    def model(real, verilog, *more):
        text, keys, _ = judge.named(verilog)
        parts = [judge.netlists[key].verilog(judge.current) for key in keys]
        changed = Path(verilog).with_suffix(".mutants.v")
        changed.write_text("".join([re.sub(STUB, "", text, flags=re.MULTILINE), *parts]), encoding="utf-8")
        return real(changed, *more)

    @instead(run, "run_bench")
    def run_bench(real, bench, verilog, *more, **others):
        text, _, touched = judge.named(verilog)
        if judge.scans and ".IMAGE(" in text:
            raise SimulationError("Netlists have no parameter for the image of a table")
        return judge.once(str((bench, text, more[2:], others)), touched, lambda: real(bench, verilog, *more, **others))

    @instead(amaranth.sim, "Simulator")
    def simulator(real, top):
        """The simulator, in which netlists are in place of the components of ``hdl``."""
        deep = Fragment.get

        def get(part, platform):
            if not isinstance(part, wiring.Component) or not type(part).__module__.startswith("dsnswitch.hdl"):
                return deep(part, platform)
            Fragment.get = staticmethod(deep)
            try:
                one, ports = judge.made(part, "simulated"), flat_members(part)
                if judge.scans:
                    return Fragment()
                module, number = one.gates(judge.current)
                return deep(Gates(module, ports, number), platform)
            finally:
                Fragment.get = staticmethod(get)

        Fragment.get = staticmethod(get)
        try:
            made = real(top)
        finally:
            Fragment.get = staticmethod(deep)
        return judge.once(None, True, lambda: made)


given = json.loads(os.environ["DSNSWITCH_MUTANTS"])
longest = given.pop("longest")
judge = Judge(Verdicts(Path(given.pop("path")), **given))
install(judge)


def cost(item):
    """Place of a test in the order of cost."""
    return max((number for number, name in enumerate(COSTS, 1) if name in item.fixturenames), default=0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Scan all tests. Of these, those with a mutant that is to be caught run, the cheap ones first."""
    for item, following in zip_longest(session.items, session.items[1:]):
        runtestprotocol(item, log=False, nextitem=following)
        item._initrequest()
    judge.scans = False
    judge.record.choose()
    session.items = sorted((item for item in session.items if judge.record.needs(item.nodeid)), key=cost)


def late(*_):
    raise TooLong


def spent():
    """Processor time of this process and of those that it has waited for, in seconds."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run the test without a mutant, then with each."""
    record, node = judge.record, pyfuncitem.nodeid
    call = functools.partial(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames})
    judge.current = None
    judge.used.clear()
    judge.results.clear()
    if judge.scans:
        with suppress(Exception):
            try:
                call()
            except Scanned:
                proof = cost(pyfuncitem) in PROOFS
                units = [unit for one in judge.used for unit in one.units]
                record.used[node] = [[*unit, PROOF if proof else ALONE if alone else PART] for *unit, alone in units]
        return True
    started, before = time.monotonic(), spent()
    call()
    took, processor = time.monotonic() - started, spent() - before
    tier = "regress" if pyfuncitem.get_closest_marker("regress") else "test"
    pending = dict.fromkeys(mutant for one in judge.used for mutant in one.mutants if record.pending(mutant))
    signal.signal(signal.SIGALRM, late)
    for judge.current in pending if processor <= longest else ():
        verdict = "survived"
        signal.setitimer(signal.ITIMER_REAL, 5 + 10 * took)
        try:
            call()
        except TooLong:
            verdict = "timeout"
        except (KeyboardInterrupt, Failed):
            raise
        except BaseException:
            verdict = "caught"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        record.judged(judge.current, verdict, node, tier)
    judge.current = None
    return True


def pytest_sessionfinish():
    judge.record.write()
