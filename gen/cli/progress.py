"""Progress of a command on standard error, on a terminal only: a progress bar, or the elapsed seconds."""

import sys
import threading
import time
from contextlib import contextmanager, nullcontext

import click

__all__ = ["clock", "progress", "progress_if_many"]

#: Seconds after which a command without a progress bar shows the elapsed time.
PATIENCE = 2.0

#: Number of items from which a progress bar is shown.
MANY = 8

#: Set while a progress bar is displayed.
_bar = threading.Event()


def _on_terminal():
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def _bar_of(items, label):
    _bar.set()
    try:
        with click.progressbar(items, label=label, file=sys.stderr) as found:
            yield found
    finally:
        _bar.clear()


def progress(items, label, visible=True):
    """Context manager for an iterator over ``items``, with a progress bar if ``visible`` and on a terminal."""
    return _bar_of(items, label) if visible and _on_terminal() else nullcontext(items)


def progress_if_many(items, label):
    """Yield ``items``, with a progress bar if there are many."""
    with progress(items, label, len(items) >= MANY) as found:
        yield from found


@contextmanager
def clock():
    """Show the elapsed seconds while the body runs, once per second, and clear the line at the end."""
    if not _on_terminal():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_tick, args=(done, sys.stderr), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _tick(done, terminal):
    start, shown = time.monotonic(), False
    while not done.wait(PATIENCE / 2):
        passed = time.monotonic() - start
        if passed >= PATIENCE and not _bar.is_set():
            terminal.write(f"\rworking, {passed:.0f} s")
            terminal.flush()
            shown = True
    if shown:
        terminal.write("\r\x1b[K")
        terminal.flush()
