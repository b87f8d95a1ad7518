"""A progress bar on standard error, or none."""

import sys
from contextlib import nullcontext

import click

__all__ = ["progress"]


def progress(items, label, visible=True):
    """Context manager that gives an iterator over ``items``, behind a progress bar if ``visible``."""
    return click.progressbar(items, label=label, file=sys.stderr) if visible else nullcontext(items)
