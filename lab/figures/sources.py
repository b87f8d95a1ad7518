"""Hash of the code that determines a value: a module and everything that it imports from this project.

Comments, docstrings and layout are not part of the hash. A value whose recorded hash is current need not be computed again.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

__all__ = ["source_hash"]

#: The folder that contains the packages ``gen``, ``hdl``, ``lab``, ``net`` and ``sim``.
ROOT = Path(__file__).resolve().parents[2]

#: What the names of this project's modules begin with.
PROJECT = "dsnswitch."


@cache
def source_hash(*modules, root=ROOT):
    """Hash of the code of modules such as ``gen.blocks.route``, and of everything that they import directly or indirectly."""
    found, pending = {}, list(modules)
    while pending:
        module = pending.pop()
        if module not in found:
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
    return ast.dump(tree), [name for name in imported if name and _path(root, name)]


def _path(root, module):
    """The file of a module; None if the name is not a module, but a function, for example."""
    stem = root.joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)
