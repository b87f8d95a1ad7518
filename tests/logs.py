"""What logs of packets say: rows of :meth:`Engine.delivered`."""


def overtaken(log):
    """Pairs of hosts whose packets do not arrive in the order in which they entered the network."""
    last, found = {}, set()
    for one in log:
        pair = int(one["source"]), int(one["destination"])
        if last.setdefault(pair, -1) > int(one["injected"]):
            found.add(pair)
        last[pair] = max(last[pair], int(one["injected"]))
    return found
