"""The reference: a page for each group of packages and modules, which mkdocstrings fills from the docstrings."""

import inspect
import re
from importlib import import_module
from pathlib import Path

__all__ = ["REFERENCE", "exported", "reference_pages", "sources"]

#: Title of each page, and its packages and modules, by the name of the page. A package shows what it exports.
REFERENCE = {
    "topology": ("Networks", ("net.topology",)),
    "routing": (
        "Routing",
        (
            "net.routing.relation",
            "net.routing.dsn.relation",
            "hdl.routing.dsn.route",
            "hdl.routing.dsn.registered.route",
            "hdl.routing.dsn.sized.route",
            "net.routing.minimal.relation",
            "hdl.routing.minimal.route",
            "net.routing.detour.relation",
            "hdl.routing.detour.route",
            "hdl.routing.detour.registered.route",
            "net.routing.dsn_f",
            "hdl.routing.dsn_f.route",
            "net.routing.torus",
            "hdl.routing.torus.route",
        ),
    ),
    "secded": ("SECDED codes", ("hdl.fec.secded",)),
    "reed-solomon": ("Reed-Solomon codes", ("hdl.fec.reed_solomon",)),
    "pcs": ("Physical coding sublayers", ("hdl.pcs.pcs66", "hdl.pcs.pcs257", "hdl.pcs.pcs260")),
    "link": ("Links", ("hdl.link",)),
    "stream": ("Streams", ("hdl.stream",)),
    "tables": ("Tables", ("hdl.table",)),
    "switch": ("Switch core", ("hdl.core",)),
    "fabric": ("Fabric port", ("hdl.port",)),
    "device": ("Switch", ("hdl.switch",)),
    "registers": ("Registers", ("hdl.registers",)),
    "network": ("Simulation of a network", ("sim.network",)),
    "generator": (
        "Generator",
        ("gen.config", "gen.blocks.block", "gen.emit.folder", "gen.emit.manifest", "gen.vectors"),
    ),
}

_INDEX = """# Python interface

These pages are made of the docstrings. Gateware is `wiring.Component` of Amaranth; the section Members of a component lists its
ports with their widths. Plain Python modules (parameters, codecs, relations) need no Amaranth.

{}
"""

_ROLE = re.compile(r":\w+:`(?:~(?:[\w.]*\.)?|\.+)?([^`]*)`")


def exported(module):
    """Names of the classes and functions that ``module`` exports."""
    found = import_module(f"dsnswitch.{module}")
    parts = {name: getattr(found, name) for name in found.__all__}
    return [name for name, part in parts.items() if inspect.isclass(part) or inspect.isfunction(part)]


def _directives(module):
    """The lines from which mkdocstrings makes the sections of a module.

    mkdocstrings takes a function with the name of its module for the module, so such a function has a section of its own.
    """
    found = import_module(f"dsnswitch.{module}")
    homonyms = [name for name in exported(module) if getattr(found, name).__module__ == f"{found.__name__}.{name}"]
    members = ", ".join(name for name in exported(module) if name not in homonyms)
    sections = [f"::: {found.__name__}\n    options:\n      members: [{members}]\n"]
    sections += [f"::: {found.__name__}.{name}.{name}\n    options:\n      heading_level: 3\n" for name in homonyms]
    return "\n".join(sections)


def reference_pages():
    """``{name: text}`` of the pages."""
    found = {}
    for name, (title, modules) in REFERENCE.items():
        parts = "\n".join(map(_directives, modules))
        found[f"reference/{name}.md"] = f"# {title}\n\n{parts}"
    rows = "\n".join(
        f"- [{title}]({name}.md): `{'`, `'.join(modules)}`" for name, (title, modules) in REFERENCE.items()
    )
    return {"reference/index.md": _INDEX.format(rows)} | found


def sources(root):
    """``{name: text}`` of the package's files for mkdocstrings, in which roles of reStructuredText are replaced by plain code."""
    found = {"dsnswitch/__init__.py": ""}
    for top in ("gen", "hdl", "lab", "net", "sim"):
        for path in sorted(Path(root, top).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found[f"dsnswitch/{path.relative_to(root).as_posix()}"] = _ROLE.sub(r"``\1``", text)
    return found
