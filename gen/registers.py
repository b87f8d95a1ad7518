"""A register map as HTML, Markdown and a C header, which PeakRDL makes from its SystemRDL text."""

import tempfile
from pathlib import Path
from typing import Any

from dsnswitch.gen.emit.manifest import never_elaborated
from dsnswitch.gen.emit.rdl import rdl
from dsnswitch.net.messages import UsageError

#: Formats, and the names of their files; HTML is a folder of files that begins with ``index.html``.
FORMATS = {"rdl": "{}.rdl", "html": "{}", "markdown": "{}.md", "c": "{}.h"}


def registers_of(block) -> Any:
    """The register map of a block."""
    with never_elaborated():
        found = getattr(block.component(), "registers", None)
    if found is None:
        raise UsageError(f"{block.name} has no registers: the block must be a switch with --apb")
    return found


def written(registers, form: str, name: str, generator: str) -> dict[str, bytes]:
    """``{name of a file: its bytes}`` of a register map in one of :data:`FORMATS`.

    Files are named after the top module, ``name``. The first line of the SystemRDL text names the ``generator``.
    """
    text = rdl(registers, generator)
    if form == "rdl":
        return {FORMATS[form].format(name): text.encode()}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, FORMATS["rdl"].format(name))
        source.write_text(text, encoding="utf-8")
        made = Path(folder, "made")
        made.mkdir()
        _EXPORTERS[form](compiled(source), made / FORMATS[form].format(name))
        return {path.relative_to(made).as_posix(): path.read_bytes() for path in sorted(made.rglob("*")) if path.is_file()}


def compiled(path) -> Any:
    """The root of a SystemRDL file, elaborated."""
    from systemrdl import RDLCompiler

    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return compiler.elaborate()


def _html(root, path):
    from peakrdl_html import HTMLExporter

    HTMLExporter(generate_source_links=False).export(root, str(path))


def _markdown(root, path):
    from peakrdl_markdown import MarkdownExporter

    MarkdownExporter().export(root, str(path))


def _header(root, path):
    from peakrdl_cheader.exporter import CHeaderExporter

    CHeaderExporter().export(root, path=str(path))


_EXPORTERS = {"html": _html, "markdown": _markdown, "c": _header}
