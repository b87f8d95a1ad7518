"""Random contents of a table, and the writes that load them over any other contents."""

__all__ = ["random_table"]


def random_table(rng, manifest, width, keys):
    """A random table of the block ``forwarding``.

    Half of the actions are any value of the field, so that some name no port. There are also writes that do not change the
    answers: to free entries and absent words with random contents, and to entries that do not exist.

    Parameters
    ----------
    width : int
        Bits of a key.
    keys : list of int
        Keys of the packets that will be sent, which the entries match.

    Returns
    -------
    list of list
        Writes, as :meth:`load` takes them.
    list of (int, int, int)
        Value, length and action of the prefixes in the table after the writes.
    """
    widths = {port["name"]: port["width"] for port in manifest["ports"]}

    def action():
        bits = widths["write_action"]
        return rng.getrandbits(bits) if rng.random() < 0.5 else rng.randrange(len(manifest["outputs"]) + 1)

    if manifest["parameters"]["kind"] == "direct":
        words = [[word, int(rng.random() < 0.8), action()] for word in range(1 << width)]
        rng.shuffle(words)
        return words, [(word, width, number) for word, valid, number in words if valid]
    entries = manifest["parameters"]["entries"]
    prefixes = {}
    for _ in range(rng.randrange(entries + 1) if entries > 1 else 1):
        length = rng.choice((width, rng.randint(0, width)))
        prefixes[rng.choice(keys) >> width - length << width - length, length] = action()
    networks = sorted(((*prefix, number) for prefix, number in prefixes.items()), key=lambda network: -network[1])
    places = sorted(rng.sample(range(entries), len(networks)))
    writes = [[place, 1, *network] for place, network in zip(places, networks)]
    # An entry that does not exist would match every key if it were written.
    beyond = range(entries, 1 << widths.get("write_place", 0))
    writes += [[place, 1, 0, 0, action()] for place in beyond]
    writes += [
        [place, 0, rng.getrandbits(width), rng.randint(0, width), action()]
        for place in set(range(entries)) - set(places)
    ]
    rng.shuffle(writes)
    return writes, networks
