"""The house: packages are listed, no room imports a higher one, files stay small."""

import ast
import tomllib

import pytest

SOURCES = ("hdl", "gen", "sim")

# Who may import whom, longest prefix first. A room may always import itself and what lies under it.
ALLOWED = {
    "hdl.topology": set(),
    "hdl.baseline": {"hdl.logic"},
    "hdl.gf": set(),
    "hdl.logic": {"hdl.gf"},
    "hdl.arithmetic": {"hdl.gf", "hdl.logic"},
    "hdl.fec": {"hdl.gf", "hdl.logic", "hdl.arithmetic"},
    "hdl.pcs": {"hdl.logic"},
    "hdl.link": {"hdl.logic", "hdl.fec", "hdl.pcs"},
    "hdl.routing": {"hdl.topology"},
    "hdl.routing.ring": {"hdl.logic"},
    "hdl.routing.dsn.local": {"hdl.topology"},
    "hdl.routing.dsn": {"hdl.topology", "hdl.logic", "hdl.routing"},
    "hdl.routing.torus": {"hdl.topology", "hdl.logic", "hdl.routing"},
    "hdl.table": {"hdl.topology", "hdl.logic"},
    "hdl.switch": {"hdl.topology", "hdl.logic", "hdl.routing", "hdl.table"},
    "sim.golden": {"hdl.topology"},
    "sim.bench": {"hdl.topology", "hdl.routing", "sim.golden"},
    "sim": {"sim.golden"},
    "gen": {"hdl"},
    # The golden model itself is what these analyse.
    "gen.link": {"hdl", "gen", "sim.golden"},
    "gen.report": {"hdl", "gen", "sim.golden"},
    "hdl": set(),
}


def modules(root):
    for top in SOURCES:
        for path in sorted((root / top).rglob("*.py")):
            yield ".".join(path.relative_to(root).with_suffix("").parts), path


def room(module):
    return next(prefix for prefix in sorted(ALLOWED, key=len, reverse=True) if f"{module}.".startswith(f"{prefix}."))


def imports(module, path):
    """Modules of this project that a file imports, resolved."""
    package = module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            stem = [*base, *(node.module or "").split(".")] if node.module else base
            yield ".".join(stem) if node.module else ".".join([*stem, node.names[0].name])
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for name in names:
                assert not name.startswith("dsnswitch"), f"{module} imports {name}: relative imports only"


def test_no_room_imports_a_higher_one(root):
    for module, path in modules(root):
        mine = room(module)
        for other in imports(module, path):
            theirs = room(other)
            allowed = theirs == mine or any(f"{theirs}.".startswith(f"{low}.") for low in {mine, *ALLOWED[mine]})
            assert allowed, f"{module} imports {other}"


def test_pure_rooms_import_no_amaranth(root):
    for module, path in modules(root):
        if room(module) in ("hdl.topology", "hdl.gf", "hdl.routing.dsn.local", "sim.golden"):
            assert "amaranth" not in path.read_text().replace("No Amaranth", ""), module


def test_every_package_is_listed(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())
    listed = project["tool"]["setuptools"]["packages"]
    found = [
        ".".join(("dsnswitch", *path.parent.relative_to(root).parts))
        for top in SOURCES
        for path in sorted((root / top).rglob("__init__.py"))
    ]
    assert sorted(listed) == sorted(found)
    folders = project["tool"]["setuptools"]["package-dir"]
    assert folders == {name: name.removeprefix("dsnswitch.").replace(".", "/") for name in listed}


def test_requirements_agree(root):
    """pyproject.toml and the pinned lists name the same versions."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pins = set()
    for name in ("run", "report", "test", "fpga"):
        pins |= {line for line in (root / f"requirements/{name}.txt").read_text().split("\n") if "==" in line}
    assert set(project["dependencies"]).union(*project["optional-dependencies"].values()) <= pins


@pytest.mark.parametrize("top", [*SOURCES, "tests"])
def test_files_stay_small(root, top):
    for path in (root / top).rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 300, f"{path} is over 300 lines: split it"
