"""Structure: packages are listed, no package imports a higher one, docs name files that exist, files stay small."""

import ast
import re
import tomllib

import pytest

SOURCES = ("hdl", "gen", "sim")

# The packages that a package may import, in addition to itself and its sub-packages. The longest prefix of a module's name
# applies.
ALLOWED = {
    "hdl": set(),
    "hdl.checks": set(),
    "hdl.gf": {"hdl.checks"},
    "hdl.topology": {"hdl.checks"},
    "hdl.stream": {"hdl.checks"},
    "hdl.logic": {"hdl.checks", "hdl.gf"},
    "hdl.arithmetic": {"hdl.gf", "hdl.logic"},
    "hdl.registers": {"hdl.checks", "hdl.logic"},
    "hdl.registers.description": {"hdl.checks"},
    "hdl.baseline": {"hdl.checks", "hdl.logic"},
    "hdl.fec": {"hdl.checks", "hdl.gf", "hdl.stream", "hdl.logic", "hdl.arithmetic"},
    "hdl.pcs": {"hdl.checks", "hdl.stream", "hdl.logic"},
    "hdl.link": {"hdl.checks", "hdl.stream", "hdl.logic", "hdl.fec", "hdl.pcs"},
    "hdl.routing": {"hdl.checks", "hdl.topology"},
    "hdl.routing.ring": {"hdl.logic"},
    "hdl.routing.dsn.local": {"hdl.topology"},
    "hdl.routing.dsn": {"hdl.checks", "hdl.topology", "hdl.logic", "hdl.routing"},
    "hdl.routing.dsn_f": {"hdl.topology", "hdl.logic", "hdl.routing"},
    "hdl.routing.torus": {"hdl.checks", "hdl.topology", "hdl.logic", "hdl.routing"},
    "hdl.table": {"hdl.checks", "hdl.logic"},
    "hdl.switch": {"hdl.checks", "hdl.topology", "hdl.stream", "hdl.logic", "hdl.fec", "hdl.routing", "hdl.table"},
    "hdl.fabric": {"hdl.gf", "hdl.logic", "hdl.fec", "hdl.pcs", "hdl.link", "hdl.switch"},
    "hdl.device": {"hdl.checks", "hdl.stream", "hdl.logic", "hdl.registers", "hdl.link", "hdl.switch", "hdl.fabric"},
    "sim": {"hdl.topology", "sim.golden"},
    "sim.network": {"hdl.topology", "sim", "sim.golden"},
    "sim.golden": {"hdl.topology"},
    "sim.bench": {"hdl.topology", "hdl.routing", "sim", "sim.golden"},
    # Leaves of gen: errors, limits, text, files.
    "gen": {"hdl"},
    "gen.emit": {"gen"},
    "gen.network": {"hdl", "gen"},
    "gen.tables": {"hdl", "gen", "gen.network"},
    # These packages analyse the golden model itself.
    "gen.analysis": {"hdl", "gen", "gen.network", "sim.golden"},
    "gen.blocks": {"hdl", "gen", "gen.network"},
    "gen.config": {"gen", "gen.blocks"},
    "gen.pictures": {"gen"},
    "gen.registers": {"gen", "gen.emit"},
    "gen.synth": {"hdl", "gen", "gen.emit", "gen.blocks", "gen.config"},
    "gen.figures": {"hdl", "gen", "gen.network", "gen.tables", "gen.analysis", "gen.config", "gen.synth"},
    "gen.layout": {
        "hdl",
        "gen",
        "gen.blocks",
        "gen.config",
        "gen.emit",
        "gen.pictures",
        "gen.synth",
        "gen.figures",
    },
    "gen.report": {
        "hdl",
        "gen",
        "gen.analysis",
        "gen.config",
        "gen.pictures",
        "gen.synth",
        "gen.figures",
        "gen.layout",
    },
    "gen.docs": {
        "hdl",
        "gen",
        "gen.config",
        "gen.emit",
        "gen.pictures",
        "gen.registers",
        "gen.tables",
        "gen.synth",
        "gen.figures",
        "gen.layout",
        "gen.report",
    },
    "gen.site": {
        "hdl",
        "gen",
        "gen.blocks",
        "gen.config",
        "gen.emit",
        "gen.pictures",
        "gen.synth",
        "gen.figures",
        "gen.docs",
    },
    "gen.regenerate": {"gen", "gen.config", "gen.emit", "gen.network", "gen.tables", "gen.pictures", "gen.docs"},
    "gen.__main__": {"gen.cli"},
}
# The command line may import every other package of gen, and is imported by none of them.
ALLOWED["gen.cli"] = {"hdl"} | {name for name in ALLOWED if name.startswith("gen") and name != "gen.__main__"}


def modules(root):
    for top in SOURCES:
        for path in sorted((root / top).rglob("*.py")):
            yield ".".join(path.relative_to(root).with_suffix("").parts), path


def owner(module):
    """The package of :data:`ALLOWED` that a module belongs to."""
    return next(prefix for prefix in sorted(ALLOWED, key=len, reverse=True) if f"{module}.".startswith(f"{prefix}."))


def covers(listed, package):
    """Whether an entry of :data:`ALLOWED` includes ``package``. ``gen`` stands for the leaves alone."""
    return listed == package or (listed != "gen" and package.startswith(f"{listed}."))


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


def test_no_package_imports_a_higher_one(root):
    for module, path in modules(root):
        mine = owner(module)
        for other in imports(module, path):
            theirs = owner(other)
            assert any(covers(listed, theirs) for listed in {mine, *ALLOWED[mine]}), f"{module} imports {other}"


def test_leaves_of_gen_are_not_all_of_gen():
    assert covers("hdl", "hdl.fec")
    assert covers("gen", owner("gen.errors"))
    assert not covers("gen", owner("gen.emit.folder"))
    assert not any(
        covers(listed, "gen.cli") for name, listed in ALLOWED.items() if name != "gen.__main__" for listed in listed
    )


PURE = ("hdl.checks", "hdl.topology", "hdl.gf", "hdl.routing.dsn.local", "hdl.registers.description", "sim.golden")


def test_pure_packages_import_no_amaranth(root):
    for module, path in modules(root):
        if owner(module) in PURE:
            assert "amaranth" not in path.read_text().replace("No Amaranth", ""), module


#: Modules that may name the dimension y: those of the DSN, their options, pictures and figures.
OF_THE_DSN = (
    *("hdl.topology.dsn", "hdl.routing.dsn", "sim.golden.topology.dsn", "sim.golden.routing", "sim.topology"),
    *("gen.network.parameters", "gen.network.dsn_picture", "gen.pictures", "gen.docs", "gen.synth.suite"),
)


def test_only_modules_of_the_dsn_name_a_dimension(root):
    found = set()
    for module, path in modules(root):
        names = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
        if names & {"y", "xy", "own_y", "dst_y"}:
            found.add(module)
    assert found
    assert not {module for module in found if not module.startswith(OF_THE_DSN)}


def test_docs_name_only_files_that_exist(root):
    pages = [*root.glob("*.md"), *(root / "docs").glob("*.md")]
    for page in pages:
        if page.name != "CHANGELOG.md":
            for name in re.findall(r"(?<![\w/.])((?:hdl|gen|sim|tests|constraints)/[\w/.]*\w)", page.read_text()):
                assert (root / name).exists() or (root / f"{name}.py").exists(), f"{page.name} names {name}"


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


@pytest.mark.parametrize("top", [*SOURCES, "tests"])
def test_files_stay_small(root, top):
    for path in (root / top).rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 300, f"{path} is over 300 lines: split it"
