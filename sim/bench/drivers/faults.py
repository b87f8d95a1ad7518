"""Faults of packets on their way into a core."""


def spoil(flits, fault, rng, width):
    """Change the flits of a packet in place by a fault of this name, if it is one; ``width`` is that of the header in bits."""
    place = rng.randrange(len(flits))
    if fault == "check":
        wrong = sum(1 << bit for bit in rng.sample(range(width), rng.randint(1, 3)))
        flits[0] = flits[0]._replace(data=flits[0].data ^ wrong)
    elif fault == "no head":
        flits[0] = flits[0]._replace(head=0)
    elif fault == "no tail":
        flits[-1] = flits[-1]._replace(tail=0)
    elif fault == "second head":
        flits[place] = flits[place]._replace(head=1)
    elif fault == "early tail":
        flits[place] = flits[place]._replace(tail=1)
    elif fault == "bad":
        flits[-1] = flits[-1]._replace(bad=1)
