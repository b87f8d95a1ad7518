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
    "net.checks": set(),
    "hdl.gf": {"net.checks"},
    "net.topology": {"net.checks"},
    "hdl.stream": {"net.checks"},
    "hdl.logic": {"net.checks", "hdl.gf"},
    "hdl.arithmetic": {"hdl.gf", "hdl.logic"},
    "hdl.registers": {"net.checks", "hdl.logic"},
    "hdl.registers.description": {"net.checks"},
    "hdl.baseline": {"net.checks", "hdl.logic"},
    "hdl.fec": {"net.checks", "hdl.gf", "hdl.stream", "hdl.logic", "hdl.arithmetic"},
    "hdl.pcs": {"net.checks", "hdl.stream", "hdl.logic"},
    "hdl.link": {"net.checks", "hdl.stream", "hdl.logic", "hdl.fec", "hdl.pcs"},
    "hdl.routing": {"net.checks", "net.topology"},
    "hdl.routing.ring": {"hdl.logic"},
    "net.routing.dsn.local": {"net.topology"},
    "hdl.routing.dsn": {"net.checks", "net.topology", "hdl.logic", "hdl.routing"},
    "hdl.routing.dsn_f": {"net.topology", "hdl.logic", "hdl.routing"},
    "hdl.routing.torus": {"net.checks", "net.topology", "hdl.logic", "hdl.routing"},
    "hdl.table": {"net.checks", "hdl.logic"},
    "hdl.core": {"net.checks", "net.topology", "hdl.stream", "hdl.logic", "hdl.fec", "hdl.routing", "hdl.table"},
    "hdl.port": {"hdl.gf", "hdl.logic", "hdl.fec", "hdl.pcs", "hdl.link", "hdl.core"},
    "hdl.switch": {"net.checks", "hdl.stream", "hdl.logic", "hdl.registers", "hdl.link", "hdl.core", "hdl.port"},
    "sim": {"net.topology", "sim.golden"},
    "sim.network": {"net.topology", "sim", "sim.golden"},
    "sim.golden": {"net.topology"},
    "sim.bench": {"net.topology", "hdl.routing", "sim", "sim.golden"},
    # Leaves of gen: errors, limits, text, files.
    "gen": {"hdl"},
    "gen.emit": {"gen"},
    "gen.network": {"hdl", "gen"},
    "net.tables": {"hdl", "gen", "gen.network"},
    # These packages analyse the golden model itself.
    "net.analysis": {"hdl", "gen", "gen.network", "sim.golden"},
    "gen.blocks": {"hdl", "gen", "gen.network"},
    "gen.config": {"gen", "gen.blocks"},
    "lab.pictures": {"gen"},
    "gen.registers": {"gen", "gen.emit"},
    "lab.synth": {"hdl", "gen", "gen.emit", "gen.blocks", "gen.config"},
    "lab.figures": {"hdl", "gen", "gen.network", "net.tables", "net.analysis", "gen.config", "lab.synth"},
    "lab.layout": {
        "hdl",
        "gen",
        "gen.blocks",
        "gen.config",
        "gen.emit",
        "lab.pictures",
        "lab.synth",
        "lab.figures",
    },
    "lab.report": {
        "hdl",
        "gen",
        "net.analysis",
        "gen.config",
        "lab.pictures",
        "lab.synth",
        "lab.figures",
        "lab.layout",
    },
    "lab.docs": {
        "hdl",
        "gen",
        "gen.config",
        "gen.emit",
        "lab.pictures",
        "gen.registers",
        "net.tables",
        "lab.synth",
        "lab.figures",
        "lab.layout",
        "lab.report",
    },
    "lab.site": {
        "hdl",
        "gen",
        "gen.blocks",
        "gen.config",
        "gen.emit",
        "lab.pictures",
        "lab.synth",
        "lab.figures",
        "lab.docs",
    },
    "lab.regenerate": {"gen", "gen.config", "gen.emit", "gen.network", "net.tables", "lab.pictures", "lab.docs"},
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
    assert covers("gen", owner("net.errors"))
    assert not covers("gen", owner("gen.emit.folder"))
    assert not any(
        covers(listed, "gen.cli") for name, listed in ALLOWED.items() if name != "gen.__main__" for listed in listed
    )


PURE = ("net.checks", "net.topology", "hdl.gf", "net.routing.dsn.local", "hdl.registers.description", "sim.golden")


def test_pure_packages_import_no_amaranth(root):
    for module, path in modules(root):
        if owner(module) in PURE:
            assert "amaranth" not in path.read_text().replace("No Amaranth", ""), module


#: Modules that may name the dimension y: those of the DSN, their options, pictures and figures.
OF_THE_DSN = (
    *("net.topology.dsn", "hdl.routing.dsn", "sim.golden.topology.dsn", "sim.golden.routing", "sim.topology"),
    *("net.files.parameters", "net.files.dsn_picture", "lab.pictures", "lab.docs", "lab.synth.suite"),
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
