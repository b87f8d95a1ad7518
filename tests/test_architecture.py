"""Structure: no package imports a higher one, ``net`` needs no Amaranth, the package is complete, docs name files that exist."""

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from functools import cache
from importlib import import_module

from dsnswitch.gen.cli import cli
from dsnswitch.net.files.options import CORE, PORT, SIMULATION, SWITCH, Refinement
from dsnswitch.net.topology.network import Network
from dsnswitch.net.topology.registry import TOPOLOGIES
from tools.__main__ import tools

#: Packages from the lowest to the highest: a module imports only its own package and earlier ones. ``net``, ``sim``,
#: ``gen`` and ``lab`` are the modules directly in these folders.
ORDER = (
    *("net", "net.topology", "net.routing", "net.files.formats", "net.files", "net.tables", "net.plan", "net.analysis"),
    *("sim.network", "sim.network.compile", "sim.network.engine", "sim.network.workload", "sim.network.experiment"),
    *("hdl", "hdl.gf", "hdl.stream", "hdl.logic", "hdl.arithmetic", "hdl.registers", "hdl.baseline", "hdl.table"),
    *("hdl.fec", "hdl.pcs", "hdl.line", "hdl.link", "hdl.routing", "hdl.core", "hdl.port", "hdl.switch"),
    *("sim.golden", "sim", "sim.verilated", "sim.bench"),
    *("gen", "gen.emit", "gen.blocks", "gen.config", "gen.registers", "gen.cli", "gen.front", "gen.__main__"),
    *("lab", "lab.codes", "lab.synth", "lab.layout", "lab.sweep", "lab.compare", "lab.cli"),
    *("tools.figures", "tools.budget", "tools.speed", "tools.layouts", "tools.network", "tools.papers"),
    *("tools.opensm", "tools.docs", "tools", "tools.site", "tools.regenerate", "tools.__main__"),
)

#: Lines of Python in each folder, at most. A number only falls, or rises in a commit that says why.
LINES = {"hdl": 20_000, "gen": 6_200, "net": 16_300, "sim": 17_600, "lab": 7_400, "tools": 5_300, "examples": 400}
LINES |= {"tests": 44_600}

#: The only packages of this project that these import: the golden model shares parameters with the gateware, nothing else, and
#: the product does not depend on its simulation.
ONLY = {
    "net": ("net",),
    "sim.network": ("net", "sim.network"),
    "hdl": ("net", "hdl"),
    "sim.golden": ("net.topology", "sim.golden"),
    "sim": ("net.topology", "net.routing", "sim"),
    "gen": ("net", "sim.network", "hdl", "gen"),
    # The analysis of codes studies the golden model itself.
    "lab.codes": ("net", "hdl", "gen", "lab", "sim.golden"),
    "lab": ("net", "sim.network", "hdl", "gen", "lab"),
    "tools": ("net", "sim", "hdl", "gen", "lab", "tools"),
}


@cache
def nodes(path):
    """All nodes of a source."""
    return list(ast.walk(ast.parse(path.read_text())))


def modules(root):
    for top in dict.fromkeys(name.partition(".")[0] for name in ORDER):
        for path in sorted((root / top).rglob("*.py")):
            yield ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"), path


def within(module, package):
    return f"{module}.".startswith(f"{package}.")


def longest(module, packages):
    """The package among ``packages`` that a module belongs to."""
    return max((package for package in packages if within(module, package)), key=len)


def imports(path):
    """Modules of this project that a file imports. Imports are absolute."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            if node.module.startswith(("dsnswitch.", "tools")):
                yield node.module.removeprefix("dsnswitch.")
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith("dsnswitch") for alias in node.names), path


def test_no_package_imports_a_higher_one(root):
    for module, path in modules(root):
        mine = longest(module, ORDER)
        allowed = ONLY[longest(module, ONLY)]
        for other in imports(path):
            assert ORDER.index(longest(other, ORDER)) <= ORDER.index(mine), f"{module} imports {other}"
            assert any(within(other, package) for package in allowed), f"{module} imports {other}"


#: Imports every module of the list in a fresh interpreter in which Amaranth cannot be imported.
BLOCKED = "import sys, importlib; sys.modules['amaranth'] = None; [*map(importlib.import_module, sys.argv[1:])]"


def test_networks_need_no_amaranth(root):
    pure = [f"dsnswitch.{module}" for module, _ in modules(root) if within(module, "net") or within(module, "sim.network")]
    assert len(pure) > 30
    subprocess.run([sys.executable, "-c", BLOCKED, *pure], check=True)
    assert subprocess.run([sys.executable, "-c", BLOCKED, "dsnswitch.hdl.core.core"], capture_output=True).returncode


#: Modules that may name the dimension y: those of the DSN, their options, pictures and figures.
OF_THE_DSN = (
    *("net.topology.dsn", "net.routing.dsn", "net.routing.detour", "net.routing.minimal", "net.files.parameters"),
    *("hdl.routing.dsn", "hdl.routing.detour", "sim.golden.topology.dsn", "sim.golden.routing", "sim.topology"),
    *("tools.docs", "lab.synth.measure"),
)


def test_only_modules_of_the_dsn_name_a_dimension(root):
    found = set()
    for module, path in modules(root):
        names = {node.value for node in nodes(path) if isinstance(node, ast.Constant)}
        if names & {"y", "xy", "own_y", "dst_y"}:
            found.add(module)
    assert found
    assert not {module for module in found if not module.startswith(OF_THE_DSN)}


#: Packages of topologies, of their routing, its gateware and their golden models, and figures of the papers about the DSN. A
#: topology may have files elsewhere that its line of the registry or its class names: the reader of graphs.
OF_TOPOLOGIES = ("net.topology", "net.routing", "hdl.routing", "sim.golden", "tools.papers.blocked", "tools.papers.link_loads")

#: The only modules of ``net.routing`` that may not.
OF_ANY_NETWORK = tuple(
    f"net.routing.{name}"
    for name in ("balance", "certificate", "dependencies", "layers", "registry", "relation", "routes", "wiring")
)


#: Names of variables and attributes that hold a network.
OWNERS = ("network", "net", "dsn", "_network", "_dsn", "before", "after", "both", "LARGEST")


def topologies():
    """The classes of all topologies by the module that has them, and the modules that only one topology names as its own."""
    places = {place.partition(":")[0] for place in TOPOLOGIES.values()}
    classes = {}
    for name in sorted(places | {"topology.graph", "topology.lattice"}):
        module = import_module(f"dsnswitch.net.{name}")
        found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Network)]
        classes[f"net.{name}"] = [value for value in found if value.__module__ == module.__name__]
    return {name: found for name, found in classes.items() if found}, {f"net.{place}" for place in places}


def test_only_a_topologys_own_files_name_it(root):
    """No other module imports the file of a topology, or reads a field that the protocol does not have."""
    files, places = topologies()
    assert len(files) >= 7
    kinds = [kind for classes in files.values() for kind in classes]
    own = {"names"} | {name for kind in kinds for name in (*vars(kind), *inspect.get_annotations(kind))}
    own = {name for name in own if not name.startswith("_") and not hasattr(Network, name)}
    assert own >= {"sizes", "levels", "supernode", "directions", "base"}
    for module, path in modules(root):
        if module in places or (module.startswith(OF_TOPOLOGIES) and module not in OF_ANY_NETWORK):
            continue
        assert not files.keys() & set(imports(path)), f"{module} imports a topology"
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and node.attr in own:
                owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
                assert owner not in OWNERS, f"{module}:{node.lineno}: {owner}.{node.attr}"


#: Most parameters of a function, without ``self`` and ``cls``.
MOST_PARAMETERS = 9


def parameters(node):
    """Names of the parameters of a function."""
    some = node.args
    found = [one.arg for one in (*some.posonlyargs, *some.args, *some.kwonlyargs, some.vararg, some.kwarg) if one]
    return [name for name in found if name not in ("self", "cls")]


def test_no_function_has_more_than_nine_parameters(root):
    for module, path in modules(root):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                found = parameters(node)
                assert len(found) <= MOST_PARAMETERS, f"{module}:{node.lineno} has {len(found)}: {', '.join(found)}"


#: Names of all options.
OPTIONS = {*CORE, *SWITCH, *PORT, *Refinement.OPTIONS, *(key for group in SIMULATION.values() for key in group)}

#: Modules through which options only pass, and the names that they need.
PASSING = {
    "gen.blocks.block": (),
    "gen.blocks.core": ("channels", "classes", "kind", "link", "pool", "speculate", "topology", "virtual_networks"),
    "gen.cli.blocks": ("block", "link", "port"),
    "gen.cli.cores": ("block",),
    "gen.cli.options": ("block",),
    "gen.cli.simulate": ("block", "pattern", "load", "points"),
    "gen.config": ("block",),
    "lab.compare.saturation": ("block", "hosts", "kind", "lookup"),
    "lab.sweep.kept": (),
    "lab.sweep.plan": ("block", "fail", "load", "pattern", "seed", "topology"),
    "lab.sweep.run": (),
    "lab.sweep.store": ("topology",),
    "lab.sweep.work": ("block",),
    "sim.network.experiment.measure": ("packet",),
}


def test_where_options_pass_none_is_named(root):
    for module, allowed in PASSING.items():
        path = root / f"{module.replace('.', '/')}.py"
        found = {node.value for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert found & OPTIONS == set(allowed), module


#: Modules that list options because they are what the list is for. All other modules list at most :data:`MOST_LISTED` of them.
LISTING = {
    "net.files.options": "the table",
    "net.topology.dsn": "declares the sizes of a DSN",
    "net.tables.files": "keys of files of tables",
    "gen.blocks": "arguments of gateware and names of tops",
    "sim.network.engine.configuration": "the core as C++ sees it",
    "sim.network.engine.points": "what the engine obeys",
    "sim.network.experiment.experiment": "what a result says of its traffic",
    "sim.network.experiment.results": "rows of a result",
    "sim.network.experiment.schema": "schema of a result",
    "tools.network": "keys of recorded curves",
    "sim.golden": "obeys options",
    "sim.bench": "reads them in manifests",
}

MOST_LISTED = 3


def lists(tree):
    """Names in each literal, call, class and parameter list of a source."""
    for node in tree:
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield node, {one.value for one in node.elts if isinstance(one, ast.Constant)}
        elif isinstance(node, ast.Dict):
            names = {one.value for one in node.keys if isinstance(one, ast.Constant)}
            # Values of one block are no list.
            yield node, set() if "block" in names else names
        elif isinstance(node, ast.Call):
            yield node, {one.arg for one in node.keywords}
        elif isinstance(node, ast.ClassDef):
            yield node, {getattr(one.target, "id", "") for one in node.body if isinstance(one, ast.AnnAssign)}
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node, {*parameters(node)}


def test_no_second_list_of_options(root):
    for module, path in modules(root):
        if not module.startswith(("hdl", *LISTING)):
            for node, names in lists(nodes(path)):
                found = sorted(names & OPTIONS)
                assert len(found) <= MOST_LISTED, f"{module}:{node.lineno} lists {', '.join(found)}"


#: Functions of Amaranth that look for the name of their result in the byte code of their caller, and the arguments that state it.
NAMING = {"Signal", "Memory", "MemoryData", "Record", "ClockDomain", "like", "create", "read_port", "write_port"}
STATING = {"name", "path"}


def unnamed(tree):
    """Nodes of a source whose result has no name, or one that depends on the release of Python.

    Each release finds the variable if it is the only target of an assignment of this result alone.
    """
    alone = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) or (isinstance(node, ast.Assign) and len(node.targets) == 1):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name | ast.Attribute):
                alone.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in alone:
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            stated = STATING & {word.arg for word in node.keywords} or (name in ("ClockDomain", "create") and node.args)
            if name in NAMING and not stated:
                yield node


def test_signals_have_names(root):
    """Names are stated, or Amaranth finds the same one on each release of Python."""
    for top in ("hdl", "gen", "sim", "lab", "tools", "examples", "tests"):
        for path in sorted((root / top).rglob("*.py")):
            for node in unnamed(ast.parse(path.read_text())):
                raise AssertionError(f"{path}:{node.lineno}: {ast.unparse(node)} needs a name")


def pages(root):
    """Text of each page of the guide by its path. The CHANGELOG names files of older versions."""
    found = [*root.glob("*.md"), *(root / "docs").glob("*.md"), root / "examples" / "README.md"]
    return {path: path.read_text() for path in found if path.name != "CHANGELOG.md"}


#: Names that do not say what they hold, and how often ``hdl`` uses them. Lower a number when you remove uses; raise none.
NOUNLESS = {
    "found": 101,
    "came": 59,
    "kept": 40,
    "given": 31,
    "told": 4,
    "here": 61,
    "known": 50,
    "wanted": 21,
    "asked": 15,
    "now": 9,
    "before": 15,
}


def test_names_in_hdl_say_what_they_hold(root):
    texts = (io.StringIO(path.read_text()) for path in (root / "hdl").rglob("*.py"))
    uses = Counter(token.string for text in texts for token in tokenize.generate_tokens(text.readline))
    rose = [f"{name}: {uses[name]} uses, at most {most}" for name, most in NOUNLESS.items() if uses[name] > most]
    assert not rose, rose


def test_docs_name_only_files_that_exist(root):
    tops = "net|hdl|gen|sim|lab|tools|tests|constraints"
    files = {path.name for top in (*tops.split("|"), "examples") for path in (root / top).rglob("*.py")}
    for page, text in pages(root).items():
        for name in re.findall(rf"(?<![\w/.])((?:{tops})/[\w/.]*[\w/])", text):
            path = root / name
            found = path.is_dir() if name.endswith("/") else path.exists() or path.with_name(f"{path.name}.py").exists()
            assert found, f"{page.name} names {name}"
        for name in re.findall(r"`(\w+\.py)`", text):
            assert name in files, f"{page.name} names {name}"


#: A dotted name of a module of this project, or of a part of one.
DOTTED = r"`(?:dsnswitch\.)?((?:net|hdl|gen|sim|lab|tools)(?:\.(?!toml|svg|json|edges|graphml)\w+)+)`"


def test_docs_name_only_modules_that_exist(root):
    for page, text in pages(root).items():
        for name in re.findall(DOTTED, text):
            module, parts = name.split("."), []
            while not (path := root.joinpath(*module)).is_dir() and not path.with_suffix(".py").exists():
                parts.insert(0, module.pop())
            found = import_module(".".join(module) if module[0] == "tools" else f"dsnswitch.{'.'.join(module)}")
            for part in parts:
                assert hasattr(found, part), f"{page.name} names {name}"
                found = getattr(found, part)


def commands_of(text, program):
    """Words after ``program`` in code spans and indented lines of a page."""
    return re.findall(rf"(?:`|^    (?:\$ )?)(?:\.venv/bin/)?{program} ([a-z][\w-]*)", text, re.MULTILINE)


def test_docs_name_only_commands_that_exist(root):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    known = {"make": targets, "dsnswitch": set(cli.table), "python -m tools": set(tools.commands)}
    for page, text in pages(root).items():
        for program, names in known.items():
            assert set(commands_of(text, program)) <= names, page.name


def test_architecture_lists_every_package(root):
    text = (root / "docs" / "architecture.md").read_text()
    listed = re.findall(r"^    ((?:net|hdl|gen|sim|lab|tools)(?:/\w+)*)(?:/|\.py) ", text, re.MULTILINE)
    folders = {name for name in ORDER if (root / name.replace(".", "/")).is_dir()} - {"hdl"}
    assert folders <= {name.replace("/", ".") for name in listed} <= {*ORDER}


def test_packages_say_what_they_are(root):
    """Every package has a docstring of its own, and names only modules that exist."""
    seen = {}
    for module, path in modules(root):
        if path.name == "__init__.py":
            text = ast.get_docstring(ast.parse(path.read_text()))
            assert text, module
            assert seen.setdefault(text, module) == module
            for name in re.findall(r":mod:`[~.]*([\w.]+)`", text):
                place = name.removeprefix("dsnswitch.").replace(".", "/")
                assert any((base / place).is_dir() or (base / f"{place}.py").exists() for base in (root, path.parent)), name


def anchors(text):
    """Anchors of the headings of a page, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", head).lower()).replace(" ", "-") for head in heads}


def test_links_of_docs_lead_somewhere(root):
    found = pages(root)
    for page, text in found.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if not re.match("[a-z]+:", target):
                assert path.exists(), f"{page.name} links to {target}"
                assert not anchor or path not in found or anchor in anchors(found[path]), f"{page.name} links to {target}"


def test_no_folder_has_more_lines_than_its_budget(root):
    """No file has more than 500."""
    lines = {path: len(path.read_text().splitlines()) for name in LINES for path in (root / name).rglob("*.py")}
    assert not [str(path) for path, count in lines.items() if count > 500]
    found = Counter()
    for path, count in lines.items():
        found[path.relative_to(root).parts[0]] += count
    assert not {name: count for name, count in found.items() if count > LINES[name]}


def test_the_package_has_a_link_for_every_folder(root):
    links = {path.name: path.resolve() for path in (root / "src" / "dsnswitch").iterdir() if path.is_symlink()}
    assert links == {name.partition(".")[0]: root / name.partition(".")[0] for name in ORDER if not name.startswith("tools")}
    assert all((path.parent / "__init__.py").exists() for _, path in modules(root))
