"""The model of longest-prefix match, compared with Python's ``ipaddress``."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.sim.golden.table import LongestPrefix

NETWORKS = st.integers(0, 32).flatmap(
    lambda length: st.integers(0, (1 << length) - 1).map(lambda bits: (bits << 32 - length, length))
)


@given(st.sets(NETWORKS, max_size=8), st.lists(st.integers(0, (1 << 32) - 1), max_size=8))
def test_it_is_that_of_ip(networks, keys):
    """32-bit addresses: the most specific network that contains an address, by the standard library."""
    model = LongestPrefix(32, [(value, length, (value, length)) for value, length in networks])
    everyone = [ipaddress.ip_network(network) for network in networks]
    for key in [*keys, *(value for value, _ in networks), *(value | 1 for value, _ in networks)]:
        containing = [network for network in everyone if ipaddress.ip_address(key) in network]
        best = max(containing, key=lambda network: network.prefixlen, default=None)
        expected = best and ((int(best.network_address), best.prefixlen),)
        assert model.lookup(key) == expected


def test_networks_come_and_go():
    model = LongestPrefix(4, [(0b1000, 1, "a")])
    model.add(0b1010, 3, "b")
    assert [model.lookup(key) for key in (0b1010, 0b1011, 0b1000, 0)] == [("b",), ("b",), ("a",), None]
    model.drop(0b1010, 3)
    assert (model.lookup(0b1010), len(model)) == (("a",), 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.lookup(16), "16 does not fit into 4 bits"),
        (lambda model: model.lookup(-1), "-1 does not fit into 4 bits"),
        (lambda model: model.add(0b1111, 1, "b"), "Network 1 must not be added twice"),
    ],
)
def test_what_it_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call(LongestPrefix(4, [(0b1000, 1, "a")]))
