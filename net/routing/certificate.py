"""The certificate of deadlock freedom: a number for every channel that rises along every route."""

import json
from functools import lru_cache

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.dependencies import DeadlockError, dependencies, numbering


def prove(relation):
    """Channel numbers ``{label: number}`` of a relation whose channel dependencies have no cycle.

    Raises :class:`DeadlockError` if there is a cycle; the error contains it.
    """
    return numbering(dependencies(relation))


def refuse_deadlock(relation):
    """Raise a :class:`UsageError` that shows the cycle if packets of ``relation`` can wait for each other in a cycle."""
    try:
        _proved(relation)
    except DeadlockError as error:
        found = cycle_text(relation, error)
        raise UsageError(f"The routing of {relation.network.spelling} is not free of deadlock: {found}") from None


@lru_cache(maxsize=256)
def _proved(relation):
    prove(relation)


def certificate(relation):
    """``(channel, target, number)`` of every channel that a route uses; the numbers rise along every route.

    Channels that a symmetry of the network maps to each other have the same number. The numbers of the representatives are
    consecutive.
    """
    numbers = prove(relation)
    for channel in relation.channels():
        number = numbers.get(relation.label(channel))
        if number is not None:
            yield channel, relation.network.neighbour(channel.switch, channel.port)[0], number


def json_text(network, classes, channels, protocol=None, ranks=(0,), rings=()):
    """``{"topology": .., "classes": .., "channels": [[source, target, class, number], ..]}``, one channel per line.

    ``classes`` is the number of virtual channels of each kind of port; ``channels`` are those of :func:`certificate`. With
    several virtual networks, the ``ranks`` of which are by a ``protocol``, a row ends in the virtual network of its channel.
    ``rings`` are the kinds of ports in rings with bubbles, along which numbers are equal.
    """
    rows = [(list(channel.switch), list(target), channel.virtual_class, number) for channel, target, number in channels]
    head = f'{{\n  "topology": {json.dumps(network.spelling)},\n  "classes": {json.dumps(classes)},\n'
    if rings:
        head += f'  "rings": {json.dumps(rings)},\n'
    if len(ranks) > 1:
        # Without a protocol, virtual networks do not depend on each other.
        step = 1 + max((row[-1] for row in rows), default=0) if protocol.waits else 0
        rows = [(*row[:-1], row[-1] + step * rank, number) for number, rank in enumerate(ranks) for row in rows]
        about = {"virtual_networks": len(ranks), "protocol": protocol.networks, "waits": list(map(list, protocol.waits))}
        head += "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in about.items())
    rows = map(json.dumps, rows)
    return head + '  "channels": [\n    ' + ",\n    ".join(rows) + "\n  ]\n}\n"


def cycle_text(relation, error: DeadlockError):
    """The cycle of a :class:`DeadlockError` as one line."""
    return " -> ".join(relation.spell_label(label) for label in [*error.cycle, error.cycle[0]])
