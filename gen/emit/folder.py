"""Writes a block to a folder: Verilog, instantiation template, manifest, file list, core, SDC, registers. It writes all files or
none.
"""

from pathlib import Path

from dsnswitch.gen.emit.handover import core, file_list, sdc, template
from dsnswitch.gen.emit.manifest import manifest, render
from dsnswitch.gen.emit.port_roles import port_roles
from dsnswitch.gen.emit.rdl import rdl
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_files

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
