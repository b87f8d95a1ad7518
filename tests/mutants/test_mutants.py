"""The written mutants match the source, and the runner distinguishes a broken design from a correct one."""

import re
from dataclasses import replace

import pytest
from mutants.written import judged, written


def test_written_mutants_fit_the_source(root):
    mutants = written()
    assert 40 <= len(mutants) <= 60
    for mutant in mutants.values():
        text = mutant.applied((root / mutant.file).read_text())
        if mutant.file.endswith(".py"):
            compile(text, mutant.name, "exec")
        assert re.fullmatch(r"[A-Z][^\n]*\.", mutant.fault), mutant.name
        for selector in mutant.tests:
            path, _, test = selector.partition("::")
            assert (root / path).exists(), f"{mutant.name} names {path}"
            assert not test or f"def {test.partition('[')[0]}(" in (root / path).read_text(), mutant.name
    with pytest.raises(ValueError, match=r"must find its text once in .*, not 0 times"):
        mutant.applied("")


def test_the_runner_tells_broken_from_right(root):
    """In the copy, a syntax error must fail (otherwise the tests would import another tree), and parentheses must not."""
    fault = replace(written()["routes/tie-goes-down"], tests=("tests/hdl/routing/test_local.py",))
    same = replace(fault, replace=f"({fault.find})")
    error = replace(fault, replace=f"{fault.find} ,=")
    verdicts = list(judged(root, [error, same, fault]))
    assert [verdict for _, verdict, _ in verdicts] == ["error", "survived", "caught"]
    assert "SyntaxError" in verdicts[0][2]
    assert next(judged(root, [same], limit=0.1))[1] == "timeout"
