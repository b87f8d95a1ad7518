"""Dumps of forwarding tables in tests."""

#: A subnet of three leaves with hosts and two spines.
SUBNET = "tests/graphs/leafspine.ibnetdiscover"


def parsed(text):
    """``{(GUID of a switch, LID): port number}`` of a dump."""
    found, guid = {}, None
    for line in text.splitlines():
        if line.startswith("Unicast"):
            guid = line.partition(" guid ")[2].split()[0]
        elif line.startswith("0x"):
            found[guid, int(line.split()[0], 16)] = int(line.split()[1])
    return found
