"""Dependencies: pyproject.toml declares ranges, requirements/ pins releases in them, and every imported package is declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def pins(root, tier):
    """``{name: version}`` that ``requirements/TIER.txt`` pins, with the lists that it includes."""
    found = {}
    for line in (root / "requirements" / f"{tier}.txt").read_text().splitlines():
        if line.startswith("-r "):
            found |= pins(root, line.removeprefix("-r ").removesuffix(".txt"))
        elif line and not line.startswith("#"):
            name, version = line.split("==")
            assert found.setdefault(canonicalize_name(name), version) == version, line
    return found


def ranges(root):
    """``{extra: requirements}`` of pyproject.toml. An extra that names other extras has their requirements as well."""
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    def resolved(extra):
        for requirement in map(Requirement, extras[extra]):
            if requirement.name == "dsnswitch":
                for other in requirement.extras:
                    yield from resolved(other)
            else:
                yield requirement

    return {extra: list(resolved(extra)) for extra in extras}


def test_pins_are_in_the_ranges(root):
    """Each list in requirements/ pins what its extra of pyproject.toml wants, and one version of a package in all lists."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = {"run": [], **ranges(root)}
    assert set(extras) == {path.stem for path in (root / "requirements").glob("*.txt")}
    everywhere = {}
    for tier, wanted in extras.items():
        found = pins(root, tier)
        for requirement in [*map(Requirement, project["dependencies"]), *wanted]:
            name = canonicalize_name(requirement.name)
            assert requirement.specifier.contains(found[name]), f"{tier}: {requirement}"
        for name, version in found.items():
            assert everywhere.setdefault(name, version) == version, f"{tier}: {name}"


def test_default_installation_is_small(root):
    """No pyosys, no plots: they come with extras."""
    assert not {"pyosys", "matplotlib"} & set(pins(root, "run"))


def test_dependencies_are_ranges(root):
    """Dependencies at run time are not pinned: each has a lower limit, and an upper limit before the first unknown release."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [requirement for extra in ranges(root).values() for requirement in extra]
    for requirement in [*map(Requirement, project["dependencies"]), *wanted]:
        operators = sorted(one.operator for one in requirement.specifier)
        assert operators == ["<", ">="], requirement


def imported(root):
    """Names of the modules of other projects that the sources, the tests and the examples import, with a file that does."""
    own = {"dsnswitch", *(path.stem for path in (root / "tests").iterdir())}
    for top in ("net", "hdl", "gen", "sim", "lab", "tests", "examples"):
        for path in (root / top).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                else:
                    names = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                for name in {name.partition(".")[0] for name in names} - own - sys.stdlib_module_names:
                    yield name, path


def test_extra_of_the_tests_is_complete(root):
    """The extra ``test`` and the dependencies declare every imported package, and setuptools, which builds the wheel."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    requirements = [*map(Requirement, project["dependencies"]), *ranges(root)["test"]]
    declared = {canonicalize_name(requirement.name) for requirement in requirements}
    providers = packages_distributions()
    for module, path in imported(root):
        assert declared & {canonicalize_name(name) for name in providers[module]}, f"{path} imports {module}"
    assert "setuptools" in declared
    for extra in re.findall(r"^-r (\w+)\.txt$", (root / "requirements" / "test.txt").read_text(), re.MULTILINE):
        assert set(ranges(root)[extra]) <= set(ranges(root)["test"]), extra
