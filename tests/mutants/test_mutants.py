"""The list of mutants matches the source, and the runner distinguishes a broken design from a correct one."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from mutants import plugin
from mutants.catalogue import CatalogueError, packages, read, sampled
from mutants.score import Score
from mutants.trial import Outcome, Trials

#: Cheap mutants that `make test` runs: pure mathematics, routing in integers, gateware.
SAMPLE = ("gf:no-back-substitution", "routing/dsn/local:tie-goes-down", "arithmetic:product-not-conjugated")

#: A test that takes less than a second.
QUICK = ("tests/hdl/routing/test_local.py",)


@pytest.fixture(scope="module")
def mutants():
    """Mutants of the list, by name."""
    return {mutant.name: mutant for mutant in read()}


def test_every_text_occurs_once_and_leaves_python(root, mutants):
    for mutant in mutants.values():
        text = mutant.applied((root / mutant.path).read_text())
        if mutant.path.endswith(".py"):
            compile(text, mutant.name, "exec")


def test_every_package_has_mutants(root, mutants):
    assert len(mutants) >= 100
    assert packages(root) <= {mutant.path.rpartition("/")[0] for mutant in mutants.values()}


def test_every_mutant_says_its_fault_and_names_tests_that_exist(root, mutants):
    for name, mutant in mutants.items():
        assert re.fullmatch(r"[A-Z][^\n]*\.", mutant.fault), name
        assert mutant.tests, name
        for selector in mutant.tests:
            path, _, test = selector.partition("::")
            assert (root / path).exists(), f"{name} names {path}"
            assert not test or f"def {test.partition('[')[0]}(" in (root / path).read_text(), f"{name} names {selector}"


def test_a_list_that_does_not_fit_is_refused(mutants, tmp_path):
    mutant = mutants[SAMPLE[0]]
    for source, count in (("", 0), (mutant.find * 2, 2)):
        with pytest.raises(CatalogueError, match=f"once in {mutant.path}, not {count} times"):
            mutant.applied(source)
    with pytest.raises(CatalogueError, match="must change"):
        replace(mutant, replace=mutant.find).applied(mutant.find)
    (tmp_path / "gf.toml").write_text('[one]\nfile = "field.py"\nfind = "a"\nreplace = "b"\n')
    with pytest.raises(CatalogueError, match=r"gf:one must have fault, file, find, replace, not \['file'"):
        read(tmp_path)


def test_part_of_the_list(mutants):
    assert {mutant.subject for mutant in read(under="pcs")} == {"pcs", "pcs/pcs260", "pcs/pcs66"}
    assert {mutant.subject for mutant in read(under="pcs/pcs66")} == {"pcs/pcs66"}
    every = list(mutants.values())
    assert sampled(every, 5, 1) == sampled(every, 5, 1) != sampled(every, 5, 2)
    assert len(sampled(every, 5, 1)) == 5


def test_the_runner_tells_broken_from_right(root, mutants):
    """In the copy, a syntax error must fail (otherwise the tests would import another tree), and a comment must not."""
    line = "UP, DOWN = 0, 1"
    comment = replace(mutants[SAMPLE[1]], find=line, replace=f"{line}  # the same", tests=QUICK)
    error = replace(comment, replace=f"{line} ,=")
    runs = [error, comment, *(mutants[name] for name in SAMPLE)]
    outcomes = list(Trials(root).outcomes(runs))
    assert [outcome.result for outcome in outcomes] == ["error", "survived", "caught", "caught", "caught"]
    assert "SyntaxError" in outcomes[0].log
    assert [outcome.test.partition("::")[0] for outcome in outcomes[2:]] == [
        "tests/hdl/gf/test_gf.py",
        "tests/hdl/routing/test_local.py",
        "tests/hdl/arithmetic/test_arithmetic.py",
    ]
    [late] = Trials(root, limit=0.1).outcomes([comment])
    assert late.result == "timeout"


def test_tests_that_break_the_design_are_left_out():
    """The remaining tests have the order of the selectors, and for each selector the cheap ones come first."""

    def item(file, name, *fixtures):
        stem = file.rpartition("/")[2]
        return SimpleNamespace(
            name=name, fixturenames=fixtures, path=SimpleNamespace(stem=stem), nodeid=f"{file}.py::{name}"
        )

    selectors = ["tests/b.py::test_it", "tests/a.py"]
    first, plain = item("tests/b", "test_it", "lab"), item("tests/a", "test_it[mutant]")
    simulated, built = item("tests/a", "test_it", "simulate"), item("tests/a", "test_it", "lab", "simulate")
    left_out = [
        item("tests/a", "test_it", "mutate"),
        item("tests/a", "test_it", "mutant"),
        item("tests/a", "test_broken_lock_is_noticed"),
        item("tests/a", "test_proof_can_fail"),
        item("tests/test_pcs_mutations", "test_it"),
    ]
    reported, items = [], [built, left_out[0], simulated, *left_out[1:], plain, first]
    hook = SimpleNamespace(pytest_deselected=lambda items: reported.extend(items))
    plugin.pytest_collection_modifyitems(SimpleNamespace(hook=hook, args=selectors), items)
    assert items == [first, plain, simulated, built]
    assert reported == left_out


def test_score(mutants):
    every = list(mutants.values())[:4]
    results = ("caught", "survived", "timeout", "caught")
    score = Score([(mutant, Outcome(result, 2.0, "", "")) for mutant, result in zip(every, results)])
    assert score.percent == 75
    assert score.text().splitlines()[-4].split() == ["total", "4", "3", "1", "8"]
    assert score.text().splitlines()[-3:] == [
        f"survived: {every[1].name}: {every[1].fault}",
        f"timeout: {every[2].name}: {every[2].fault}",
        "score: 75.0 %",
    ]
    assert [row["result"] for row in json.loads(score.json())["mutants"]] == list(results)
