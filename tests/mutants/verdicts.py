"""Generated mutants, their netlists, and the verdicts, which a JSON file has with one line per mutant."""

import hashlib
import json
import random
import re
from collections import Counter
from itertools import pairwise

from mutants import netlist

#: Verdicts after which a mutant is not run again.
FINAL = {"caught", "timeout", "no effect"}


def id_of(module, words):
    """Name of the mutant that ``words`` of ``mutate`` make of a module."""
    given = dict(pairwise(words))
    return " ".join([module, *(given.get(f"-{part}", "") for part in ("mode", "cell", "port", "portbit", "ctrlbit"))])


def file_of(kind):
    """The source file of a class of ``hdl``."""
    return kind.__module__.replace(".", "/").removeprefix("dsnswitch/") + ".py"


class Verdicts:
    """The mutants of a run, which go on from the verdicts of ``path``, and the modules of each test.

    Only units of the directory or file ``under`` get mutants: ``sample`` in all, as many for each class of components, chosen by
    ``seed``.
    """

    def __init__(self, path, under, sample, seed):
        self.path, self.folder, self.under, self.sample, self.seed = path, path.parent / "netlists", under, sample, seed
        rows = json.loads(path.read_text(encoding="utf-8") if path.exists() else "[]")
        self.rows = {id_of(row["module"], row["command"].split()): row for row in rows}
        #: Test -> ``[(file, class, module, weight of the test)]``, and module -> number of mutants.
        self.used, self.plan = {}, {}

    def choose(self):
        """Plan as many mutants for each class, in those modules of it that are tested most."""
        weights, kinds = Counter(), {}
        for file, kind, module, weight in (unit for units in self.used.values() for unit in units):
            if f"{file}/".startswith(f"{self.under}/"):
                weights[module] += weight
                kinds.setdefault((file, kind), set()).add(module)
        share = self.sample / max(1, len(kinds))
        for (file, kind), modules in kinds.items():
            count = int(share) + (random.Random(f"{self.seed} {file} {kind}").random() < share % 1)
            most = max(weights[module] for module in modules)
            best = sorted(module for module in modules if 2 * weights[module] > most)[: max(1, count // 3)]
            self.plan |= {module: (count + place) // len(best) for place, module in enumerate(best)}

    def needs(self, test):
        """Whether a test has a module with mutants that are not caught, or that lacks mutants."""
        modules = {module: self.of(module) for _, _, module, _ in self.used.get(test, ())}
        return any(len(own) < self.plan.get(module, 0) or any(map(self.pending, own)) for module, own in modules.items())

    def of(self, module):
        """Names of the mutants of a module."""
        return [name for name, row in self.rows.items() if row["module"] == module]

    def pending(self, mutant):
        """Whether no test has caught the mutant."""
        return self.rows[mutant]["verdict"] not in FINAL

    def add(self, kind, module, words, **more):
        """Add a mutant of a module, which is one of a component of class ``kind``."""
        file = file_of(kind)
        sources = (word.rpartition("dsnswitch/")[2] for before, word in pairwise(words) if before == "-src")
        # Those of a cell of another file, such as hdl/logic, come after those of the unit's own.
        source = min(
            (word for word in sources if word.startswith("hdl/")), key=lambda word: not word.startswith(file), default=file
        )
        row = {"module": module, "class": kind.__qualname__, "file": file, "source": source}
        row["command"] = " ".join(words[: words.index("-src") if "-src" in words else None])
        self.rows.setdefault(id_of(module, words), row | more | {"verdict": ""})

    def judged(self, mutant, verdict, test, tier):
        """Note the verdict of one test."""
        row = self.rows[mutant]
        row["verdict"] = verdict
        if verdict != "survived":
            row |= {"by": test, "tier": tier}
            self.write()

    def write(self):
        """Write the verdicts."""
        rows = ",\n".join(map(json.dumps, self.rows.values()))
        self.path.write_text(f"[\n{rows}\n]\n", encoding="utf-8")

    def prove(self, seconds):
        """Prove, where it is possible, that survivors have no effect."""
        for row in self.rows.values():
            folder, words = self.folder / row["netlist"], row["command"].split()
            # The netlist of a mutant of an earlier run is there only if a test of this run has its unit.
            if row["verdict"] == "survived" and "tried" not in row and folder.exists():
                try:
                    way = netlist.call(folder, "equal", words=words, seconds=seconds)
                except netlist.Failed:
                    way = ""  # The solver has no model of a cell.
                row |= {"verdict": "no effect", "by": way} if way else {"tried": seconds}
                self.write()


class Netlist:
    """A netlist with mutants.

    ``owners`` are ``{module: (class of its component, its RTLIL without names)}``, ``raw`` is the RTLIL of all modules.
    """

    def __init__(self, raw, top, owners, record):
        self.key, self.raw, self.top, self._record = self._digest(raw), raw, top, record
        self._owners = {name: (kind, self._digest(text)) for name, (kind, text) in owners.items()}
        self.folder, self.mutants, self._numbers = record.folder / self.key, {}, {}
        #: ``[file, class, module, whether it is the whole netlist]`` of the components of ``hdl``.
        self.units = [
            [file_of(kind), kind.__qualname__, module, name == top]
            for name, (kind, module) in self._owners.items()
            if kind.__module__.startswith("dsnswitch.hdl.")
        ]

    @staticmethod
    def _digest(text):
        """A hash of RTLIL without the lines of its source, which change with every edit above them."""
        return hashlib.sha256(re.sub(r"attribute \\src .*\n", "", text).encode()).hexdigest()[:12]

    def prepare(self):
        """Choose the mutants that modules lack."""
        plan, record = self._record.plan, self._record
        lacks = {name: plan[key] for name, (_, key) in self._owners.items() if plan.get(key, 0) > len(record.of(key))}
        if lacks or not (self.folder / "netlist.il").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "raw.il").write_text(self.raw, encoding="utf-8")
            lists = netlist.call(self.folder, "prepare", top=self.top, modules=lacks, seed=record.seed)
            for name, commands in lists.items():
                for words in commands:
                    record.add(*self._owners[name], words, netlist=self.key)
        for name, (_, key) in self._owners.items():
            self.mutants |= {mutant: [name, record.rows[mutant]["command"].split()] for mutant in record.of(key)}

    def number(self, mutant, form):
        """Number of a mutant in the netlist with all mutants that are not caught, which is made in this form if it is not."""
        pending = [one for one in self.mutants if self._record.pending(one)]
        if form not in self._numbers or not {*pending} <= self._numbers[form].keys():
            numbers = {one: number for number, one in enumerate(pending, 1)}
            self._make(numbers, form)
            self._numbers[form] = numbers
        return self._numbers[form].get(mutant, 0)

    def _make(self, numbers, form):
        chosen = [[*self.mutants[mutant], number] for mutant, number in numbers.items()]
        pick = str(self.folder.absolute() / "pick")
        netlist.call(self.folder, "make", top=self.top, mutants=chosen, form=form, pick=pick)

    def verilog(self, mutant):
        """Verilog that reads which mutant it is from a file, which says ``mutant``."""
        (self.folder / "pick").write_text(f"{self.number(mutant, 'v'):x}\n", encoding="utf-8")
        return (self.folder / "made.v").read_text(encoding="utf-8")

    def gates(self, mutant):
        """The top in Yosys' JSON, and the number of the mutant."""
        number = self.number(mutant, "json")
        return json.loads((self.folder / "made.json").read_text(encoding="utf-8"))["modules"][self.top], number

    def rtlil(self, mutant):
        """RTLIL with one mutant."""
        self._make({mutant: 1}, "il")
        return (self.folder / "made.il").read_text(encoding="utf-8")
