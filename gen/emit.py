"""Writes a block to a folder: Verilog, manifest, file list, core, SDC. All of it or nothing."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .errors import UsageError
from .handover import core, file_list, sdc
from .manifest import manifest, render
from .verilog import convert
from .version import __version__

__all__ = ["emit", "make_folder", "write_files", "write_text"]


def emit(block, folder):
    """Write every file of ``block`` to ``folder`` and return ``(manifest, {kind: path})``.

    Raises
    ------
    UsageError
        If the folder cannot be written. Nothing of the new output is left then.
    """
    folder = Path(folder)
    names = {
        "verilog": f"{block.name}.v",
        "manifest": f"{block.name}.json",
        "file_list": f"{block.name}.f",
        "core": f"{block.name}.core",
        "sdc": f"{block.name}.sdc",
    }
    component = block.component()
    about = manifest(block, component, names)
    texts = {
        "verilog": convert(component, block.name, block.description),
        "manifest": render(about),
        "file_list": file_list(names),
        "core": core(block, __version__, names),
        "sdc": sdc(about),
    }
    write_files(folder, {names[kind]: text for kind, text in texts.items()})
    return about, {kind: folder / name for kind, name in names.items()}


@contextmanager
def _writing(what):
    """Errors of the file system inside say that ``what`` cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{what} cannot be written: {error.strerror}") from None


def make_folder(folder):
    """Make ``folder`` if it is not there: what takes long finds out first that it can be written.

    Raises
    ------
    UsageError
        If it cannot be made.
    """
    with _writing(f"Output folder {folder}"):
        Path(folder).mkdir(parents=True, exist_ok=True)


def write_files(folder, texts):
    """Write every text of ``{name: text}`` to ``folder``, which is made if need be: all of them or none.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    """
    folder = Path(folder)
    make_folder(folder)
    with _writing(f"Output folder {folder}"), tempfile.TemporaryDirectory(dir=folder, prefix=".dsnswitch-") as stage:
        for name, text in texts.items():
            Path(stage, name).write_text(text, encoding="utf-8")
        for name in texts:
            os.replace(Path(stage, name), folder / name)


def write_text(path, text):
    """Write ``text`` to ``path`` in one step.

    Raises
    ------
    UsageError
        If it cannot be written.
    """
    path = Path(path)
    with (
        _writing(f"Output file {path}"),
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".dsnswitch-") as stage,
    ):
        staged = Path(stage, path.name)
        staged.write_text(text, encoding="utf-8")
        os.replace(staged, path)
