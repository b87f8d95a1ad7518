"""pytest plugin for runs on mutants: deselects tests that break the design themselves, and sorts the others by cost.

A test that breaks the design fails if it does not find the text that it replaces. That would not be a detection.
"""

import re
import resource

#: Pattern for the names of tests that break the design, and of the fixtures that do it.
BREAKS = re.compile("mutant|noticed|broken|can_fail")
MAKERS = {"mutate", "mutant"}

#: Fixtures in rising order of the cost of their tests: Amaranth's simulator, SAT, Verilator.
COSTS = ("simulate", "prove", "lab")

#: Bytes of data of a process. A mutant that searches without an end fails before the machine has no memory left.
MEMORY = 6 << 30


def breaks(item):
    """Whether a test breaks the design on purpose."""
    plain = item.name.partition("[")[0]
    return bool(BREAKS.search(plain) or MAKERS & set(item.fixturenames) or item.path.stem.endswith("_mutations"))


def rank(item, selectors):
    """Sort key of a test: first the order of the selectors, then the cost of the fixtures."""
    named = (number for number, words in enumerate(selectors) if item.nodeid.startswith(words.partition("::")[0]))
    cost = max((number for number, name in enumerate(COSTS, 1) if name in item.fixturenames), default=0)
    return next(named, len(selectors)), cost


def pytest_configure(config):
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if breaks(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = sorted((item for item in items if not breaks(item)), key=lambda item: rank(item, config.args))
