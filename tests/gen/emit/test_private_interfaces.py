"""Amaranth's private interfaces: only one module uses them, for the releases in the range of pyproject.toml."""

import ast
import tomllib
from importlib.metadata import version

from packaging.requirements import Requirement
from packaging.version import Version

from dsnswitch.gen.emit.verilog.fragments import SUPPORTED

#: The module of the product, and the plugin that puts mutants in the place of units.
OWNERS = ("gen/emit/verilog/fragments.py", "tests/mutants/plugin.py")

#: Names that Amaranth exports without documenting them, and a module for Amaranth's own tools.
UNDOCUMENTED = {"Fragment", "MemoryInstance"}
INTERNAL = "amaranth.back"

#: The part of that module that Amaranth's page "Getting started" shows to users. Only examples use it.
GETTING_STARTED = {"amaranth.back.verilog"}


def private(text):
    """Private names of Amaranth that a source uses: modules, objects and their attributes."""
    found, modules = set(), set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            modules |= {alias.asname or alias.name.partition(".")[0] for alias in node.names if _amaranth(alias.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            modules |= {alias.asname or alias.name for alias in node.names if _amaranth(node.module)}
        for name in filter(_amaranth, names):
            parts = name.split(".")
            if name.startswith(INTERNAL) or UNDOCUMENTED & set(parts) or any(part.startswith("_") for part in parts):
                found.add(name)
    for node in ast.walk(tree):
        of_amaranth = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
        if of_amaranth and (node.attr.startswith("_") or node.attr in UNDOCUMENTED):
            found.add(f"{node.value.id}.{node.attr}")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_MustUse"):
            found.add(node.attr)
    return found


def _amaranth(name):
    return name.partition(".")[0] == "amaranth"


def test_one_module_uses_them(root):
    for top in ("net", "hdl", "gen", "sim", "lab", "tests", "examples"):
        for path in sorted((root / top).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            found = private(path.read_text()) - (GETTING_STARTED if top == "examples" else set())
            assert bool(found) == (name in OWNERS), f"{name}: {found}"


def test_supported_releases(root):
    """The range of pyproject.toml is that of the module, and includes the installed release."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    requirement = next(one for one in map(Requirement, project["dependencies"]) if one.name == "amaranth")
    assert {(one.operator, one.version) for one in requirement.specifier} == {(">=", SUPPORTED[0]), ("<", SUPPORTED[1])}
    assert Version(SUPPORTED[0]) <= Version(version("amaranth")) < Version(SUPPORTED[1])
