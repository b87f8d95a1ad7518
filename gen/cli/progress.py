"""Progress of a command on standard error, on a terminal only: a progress bar, or the elapsed seconds and the current stage."""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import click

#: Seconds after which a command without a progress bar shows the elapsed time.
PATIENCE = 2.0

#: Expected seconds from which :func:`watched` shows a progress bar, and seconds after which it first estimates them, at the first
#: item that ends later.
LONG, FIRST = 5.0, 0.2

#: Number of times that a progress bar is drawn: drawing it takes longer than the work on a small item.
REDRAWN = 1000

#: Set while a progress bar is displayed.
_bar = threading.Event()

#: The current stage of a command without a progress bar, or an empty text.
_stage = ""

#: Of numbered stages: the time at which the first began, and that at which the last is expected to end, or None.
_first, _end = 0.0, None


def stage(text) -> None:
    """Show ``text`` after the elapsed seconds from now on.

    Stages may be numbered, as in ``script 3 of 12``. After the first of them, the expected time until the end of the last is
    shown, too.
    """
    global _stage, _first, _end
    now = time.monotonic()
    numbers = re.search(r"(\d+) of (\d+)$", text)
    number, last = map(int, numbers.groups()) if numbers else (1, 1)
    if number == 1:
        _first, _end = now, None
    else:
        _end = _first + (now - _first) * last / (number - 1)
    _stage = f": {text}"


def _line(start, now):
    """What is shown at the time ``now`` of a command that began at ``start``."""
    left = "" if _end is None else f", about {max(_end - now, 0):.0f} s left"
    return f"working, {now - start:.0f} s{_stage}{left}"


def tell(text) -> None:
    """Print a message on standard error, on a line of its own, also where the progress is shown."""
    click.echo("\r\x1b[K" * _on_terminal() + f"dsnswitch: {text}", err=True)


def _on_terminal():
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def _shown(*words, **attributes):
    """A progress bar of click on standard error, while the clock rests."""
    _bar.set()
    try:
        with click.progressbar(*words, file=sys.stderr, **attributes) as found:
            yield found
    finally:
        _bar.clear()


def watched(items: Iterable, label: str, length: int | None = None) -> Iterator:
    """Yield ``items``, with a progress bar as soon as all of them are expected to take long, on a terminal only.

    ``length`` is their number if ``items`` has no length.
    """
    length = len(items) if length is None else length  # type: ignore[arg-type]
    left, start = iter(items), time.monotonic()
    for done, item in enumerate(left, 1):
        yield item
        passed = time.monotonic() - start
        if done < length and passed > FIRST and passed * length > LONG * done and _on_terminal():
            step = max((length - done) // REDRAWN, 1)
            with _shown(left, label=label, length=length - done, update_min_steps=step) as rest:
                yield from rest


@contextmanager
def meter(label: str) -> Iterator[Callable]:
    """Context manager for a function ``show(done, length, text)`` that draws a progress bar, on a terminal only.

    ``length`` is the number of steps that are expected now, which may change; ``text`` is shown after the expected time.
    """
    if not _on_terminal():
        yield lambda done, length, text: None
        return
    with _shown(length=1, label=label, item_show_func=lambda text: text) as shown:

        def show(done, length, text):
            shown.length = max(length, done, 1)
            shown.update(done - shown.pos, text)

        yield show
        shown.length = shown.pos or 1
        shown.update(0)


@contextmanager
def clock() -> Iterator[None]:
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
        now = time.monotonic()
        if now - start >= PATIENCE and not _bar.is_set():
            terminal.write(f"\r{_line(start, now)}\x1b[K")
            terminal.flush()
            shown = True
    if shown:
        terminal.write("\r\x1b[K")
        terminal.flush()
