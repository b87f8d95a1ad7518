"""Files that the experiments name: random graphs, and packets one at a time. Equal names give equal contents.

An experiment is the file of a sweep that may contain words in braces:

``{graphs}``
    Folder of :func:`random_ring`: ``ring-256-8-1.edges`` has 256 switches of degree 8, by seed 1.
``{traces}``
    Folder of :func:`trace`: ``512.csv`` has 512 hosts.
"""

import random
import re
from pathlib import Path

from dsnswitch.gen.writing import make_folder, write_text
from dsnswitch.net.messages import UsageError

__all__ = ["SPACING", "expanded", "random_ring", "trace"]

#: Packets of a trace, and cycles between them: more than a packet of four flits takes through any network of the experiments.
PACKETS, SPACING = 100, 160

#: Attempts to draw matchings until the graph has no link twice.
ATTEMPTS = 10_000


def random_ring(nodes, degree, seed):
    """Links of a ring with random shortcuts, RING-``degree`` of R III-B: ``degree - 2`` random matchings and the ring.

    Returns a sorted list of pairs. No link occurs twice. Raises :class:`UsageError` if the sizes are impossible.
    """
    if nodes % 2 or not 2 <= degree < nodes / 2:
        raise UsageError(f"A random ring has an even number of switches and 2 <= degree < switches / 2, not {nodes}, {degree}")
    chosen = random.Random(seed)
    links = {(at, at + 1) for at in range(nodes - 1)} | {(0, nodes - 1)}
    for _ in range(degree - 2):
        links |= _matching(chosen, nodes, links)
    return sorted(links)


def _matching(chosen, nodes, taken):
    """A random perfect matching without the links ``taken``. A pair that is taken exchanges ends with another one."""
    order = chosen.sample(range(nodes), nodes)
    pairs = [tuple(sorted(pair)) for pair in zip(order[::2], order[1::2])]
    for _ in range(ATTEMPTS):
        bad = next((index for index, pair in enumerate(pairs) if pair in taken), None)
        if bad is None:
            return set(pairs)
        other = chosen.randrange(len(pairs))
        if other != bad:
            (a, b), (c, d) = pairs[bad], pairs[other]
            new = [tuple(sorted(pair)) for pair in ((a, c), (b, d))]
            if not taken.intersection(new):
                pairs[bad], pairs[other] = new
    raise UsageError(f"No random matching of {nodes} switches was found beside {len(taken)} links")


def trace(hosts):
    """CSV text of packets of four flits between random hosts, so far apart that no packet meets another one."""
    chosen = random.Random(hosts)
    lines = ["cycle,source,destination,flits"]
    for number in range(PACKETS):
        source, destination = chosen.sample(range(hosts), 2)
        lines.append(f"{number * SPACING},{source},{destination},4")
    return "\n".join(lines) + "\n"


def expanded(text, folder):
    """The text of an experiment with the words in braces replaced. Files are written to ``folder``."""
    for word, ending, make in (("graphs", "edges", _edges), ("traces", "csv", trace)):
        pattern = r"\bring-(\d+)-(\d+)-(\d+)\b" if word == "graphs" else r"\b(\d+)\.csv"
        for match in re.finditer(pattern, text) if f"{{{word}}}" in text else ():
            make_folder(Path(folder, word))
            name = match[0].removesuffix(f".{ending}")
            write_text(Path(folder, word, f"{name}.{ending}"), make(*map(int, match.groups())))
        text = text.replace(f"{{{word}}}", str(Path(folder, word)))
    return text


def _edges(nodes, degree, seed):
    return "".join(f"{a} {b}\n" for a, b in random_ring(nodes, degree, seed))
