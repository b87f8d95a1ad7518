"""``python -m dsnswitch.lab.network [NAME ...]`` (``make network``): run experiments, record them in ``docs/network.json``.

Without names, all experiments run. Points that are stored in ``build/network`` are not run again.
"""

import os
import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.progress import progress
from dsnswitch.lab.network.run import measured
from dsnswitch.lab.network.store import PATH, experiment_files, load
from dsnswitch.lab.sweep.run import local
from dsnswitch.net.messages import UsageError

#: Folder of all results.
FOLDER = Path("build", "network")


def _shown(points, label, count):
    """Yield ``points`` with a progress bar."""
    with progress(points, label, length=count) as some:
        yield from some


@click.command(help=__doc__.replace("``", ""))
@click.argument("names", nargs=-1)
@click.option("--workers", type=click.IntRange(0, 256), default=min(2, os.cpu_count() or 1), show_default=True,
              help="Processes; 0 runs in this process.")  # fmt: skip
@click.option("--root", type=click.Path(path_type=Path), default=Path("."), help="The repository.")
def main(names, workers, root):
    files = experiment_files()
    for name in names:
        if name not in files:
            raise UsageError(f"Experiments are {', '.join(files)}, not {name}")
    curves = load(root / PATH)
    with local(workers) as executor:
        for name in names or files:
            curves.put(name, measured(name, files[name], root / FOLDER, executor, curves.known(name), _shown))
            curves.write()
            click.echo(f"{name}: {len(curves.of(name))} curves in {curves.path}")


def run():
    """The command; errors of the user are one line and status 2."""
    try:
        main(standalone_mode=False)
    except UsageError as error:
        print(f"dsnswitch: error: {error}", file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)


if __name__ == "__main__":
    run()
