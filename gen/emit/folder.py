"""Writes a block to a folder: Verilog, instantiation template, manifest, file list, core, SDC, registers. It writes all files or
none.
"""

from pathlib import Path

from ..version import __version__
from ..writing import write_files
from .handover import core, file_list, sdc, template
from .manifest import manifest, render
from .port_roles import port_roles
from .rdl import rdl
from .verilog import convert

__all__ = ["emit"]


def emit(block, folder):
    """Write every file of ``block`` to ``folder``; returns ``(manifest, {kind: path})``.

    Raises
    ------
    UsageError
        If the folder cannot be written. Then no new file remains.
    """
    folder = Path(folder)
    names = {
        "verilog": f"{block.name}.v",
        "template": f"{block.name}.veo",
        "manifest": f"{block.name}.json",
        "file_list": f"{block.name}.f",
        "core": f"{block.name}.core",
        "sdc": f"{block.name}.sdc",
    }
    component = block.component()
    registers = getattr(component, "registers", None)
    if registers:
        names["rdl"] = f"{block.name}.rdl"
    about = manifest(block, component, names)
    texts = {
        "verilog": convert(component, block.name, block.description, port_roles(block, component)),
        "template": template(about),
        "manifest": render(about),
        "file_list": file_list(names),
        "core": core(block, __version__, names),
        "sdc": sdc(about),
    }
    if registers:
        texts["rdl"] = rdl(registers, about["generator"])
    write_files(folder, {names[kind]: text for kind, text in texts.items()})
    return about, {kind: folder / name for kind, name in names.items()}
