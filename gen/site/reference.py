"""The reference: a page for each group of modules, which mkdocstrings fills from the docstrings."""

import re
from pathlib import Path

__all__ = ["REFERENCE", "reference_pages", "sources"]

#: Title and modules of each page, by its name.
REFERENCE = {
    "topology": (
        "Networks",
        ("hdl.topology.network", "hdl.topology.dsn", "hdl.topology.supernode", "hdl.topology.torus"),
    ),
    "routing": (
        "Routing",
        ("hdl.routing.relation", "hdl.routing.dsn.relation", "hdl.routing.dsn.route", "hdl.routing.torus.route"),
    ),
    "secded": (
        "SECDED codes",
        ("hdl.fec.secded.parameters", "hdl.fec.secded.codec", "hdl.fec.secded.encoder", "hdl.fec.secded.decoder"),
    ),
    "reed-solomon": (
        "Reed-Solomon codes",
        (
            "hdl.fec.reed_solomon.parameters",
            "hdl.fec.reed_solomon.codec",
            "hdl.fec.reed_solomon.encoder",
            "hdl.fec.reed_solomon.decoder",
        ),
    ),
    "tables": ("Tables", ("hdl.table.ternary", "hdl.table.direct", "hdl.switch.forwarding")),
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


def reference_pages():
    """``{name: text}`` of the pages."""
    found = {}
    for name, (title, modules) in REFERENCE.items():
        parts = "\n".join(f"::: dsnswitch.{module}\n" for module in modules)
        found[f"reference/{name}.md"] = f"# {title}\n\n{parts}"
    rows = "\n".join(
        f"- [{title}]({name}.md): `{'`, `'.join(modules)}`" for name, (title, modules) in REFERENCE.items()
    )
    return {"reference/index.md": _INDEX.format(rows)} | found


def sources(root):
    """``{name: text}`` of the package's files for mkdocstrings, in which roles of reStructuredText are replaced by plain code."""
    found = {"dsnswitch/__init__.py": ""}
    for top in ("gen", "hdl"):
        for path in sorted(Path(root, top).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found[f"dsnswitch/{path.relative_to(root).as_posix()}"] = _ROLE.sub(r"``\1``", text)
    return found
