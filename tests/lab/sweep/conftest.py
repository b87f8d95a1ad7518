import pytest

#: A ring of four switches, each of which sends to the next one, and a hot spot.
RING = """
title = "Rings <of four> & others"
topology = "torus:4"
flit = 32
depth = 32
cycles = 1000

[[series]]
name = "Neighbour"
pattern = "neighbour"
load = "0.1:0.9"
points = 3
link_delay = [0, 3]

[[series]]
name = "Hot spot"
pattern = "hot-spot:0:0.99"
load = "0.1:0.9"
points = 3
precision = 0.01
"""


@pytest.fixture
def ring(tmp_path):
    """The file of a sweep."""
    path = tmp_path / "ring.toml"
    path.write_text(RING)
    return path
