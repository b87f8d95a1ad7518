"""pytest plugin of the runs on mutants: leaves out tests that break the design themselves, and sorts the others.

A test that breaks the design would fail as it does not find the text that it replaces, which is no detection.
"""

import re

#: Names of tests that break the design, and fixtures that do it.
BREAKS = re.compile("mutant|noticed|broken|can_fail")
MAKERS = {"mutate", "mutant"}

#: Fixtures by the cost of the tests that use them, the cheapest first: Amaranth's simulator, SAT, Verilator.
COSTS = ("simulate", "prove", "lab")


def breaks(item):
    """Whether a test breaks the design on purpose."""
    plain = item.name.partition("[")[0]
    return bool(BREAKS.search(plain) or MAKERS & set(item.fixturenames) or item.path.stem.endswith("_mutations"))


def rank(item, selectors):
    """Rank of a test in the order of the run: first the order of the selectors, then the cost of the fixtures."""
    named = (number for number, words in enumerate(selectors) if item.nodeid.startswith(words.partition("::")[0]))
    cost = max((number for number, name in enumerate(COSTS, 1) if name in item.fixturenames), default=0)
    return next(named, len(selectors)), cost


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if breaks(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = sorted((item for item in items if not breaks(item)), key=lambda item: rank(item, config.args))
