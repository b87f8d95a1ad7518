"""A network to try: payloads, times, and hosts."""

import random

import pytest
from cores import DSN, TABLE

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.experiment.packets import Hosts


def network(values, **more):
    return Hosts(core_manifest(values), **more)


def test_a_packet_takes_two_cycles_per_switch():
    made = network(DSN)
    made.send(made.switches[0], (made.switches[3], 1), b"hello")
    (packet,) = made.run()
    start = made.cycle
    made.send(made.switches[0], (made.switches[3], 1))
    (again,) = made.run()
    assert packet.payload == b"hello"
    assert (packet.source, packet.destination) == ((made.switches[0], 0), (made.switches[3], 1))
    assert (packet.sent, packet.latency) == (0, 2 * packet.hops)
    assert packet.hops > 1
    assert again == packet._replace(payload=b"", sent=start, received=start + packet.latency)
    assert made.run() == []


@pytest.mark.parametrize("values", [DSN, TABLE], ids=["dsn", "table"])
def test_every_payload_arrives(values):
    """Random payloads of all lengths, more of them than buffers hold."""
    made, rng = network(values, delay=2), random.Random(1)
    hosts = [(switch, host) for switch in made.switches for host in range(values.get("hosts", 1))]
    sent = [(rng.choice(hosts), rng.choice(hosts), rng.randbytes(rng.randrange(made.most + 1))) for _ in range(300)]
    for words in sent:
        made.send(*words)
    found = made.run()
    assert sorted((p.source, p.destination, p.payload) for p in found) == sorted(sent)
    for a, b in {(a, b) for a, b, _ in sent}:
        assert [p.payload for p in found if (p.source, p.destination) == (a, b)] == [c for *ends, c in sent if ends == [a, b]]


def test_the_data_at_the_outputs_of_the_cores():
    """The flits that leave the last cores have the data of their rows of the trace, which is not in order of time."""
    core = network(DSN)._core
    words = [[(7 + row) << 64 | row, 0xABCDEF << 70 | row][: 1 + row % 2] for row in range(6)]
    trace = [(200 - 20 * row, 2 * (row % 3), 9, len(words[row])) for row in range(6)]
    engine, found = Engine(core, [Point(trace=trace, payloads=words, log=True)]), []
    layout, (switch, host) = core.layout, divmod(9, 2)
    for _ in range(300):
        # Outputs are those of the cycle before the step.
        parity = engine.cycle % 2 * layout.flops
        bit = lambda row: int(engine._rows[0][row + parity][switch // 8]) >> switch % 8 & 1  # noqa: B023, E731
        if any(bit(row) for row in layout.outputs[f"host_{host}_tx_valid"]):
            data = sum(bit(row) << place for place, row in enumerate(layout.outputs[f"host_{host}_tx_flit"][:96]))
            found.append(data >> 64)
        engine.run(1)
    log = engine.delivered(0)
    assert log["row"].tolist() == [5, 4, 3, 2, 1, 0]
    assert found == [word >> 64 for row in (5, 4, 3, 2, 1, 0) for word in words[row]]


def test_impossible_packets():
    made = network(DSN)
    with pytest.raises(ValueError, match=rf"Payload must have at most {made.most} bytes, not {made.most + 1}"):
        made.send(made.switches[0], made.switches[1], bytes(made.most + 1))
    for wrong in ((9, 9), ((0, 0), 2), ((0, 7), 0)):
        with pytest.raises(ValueError, match="Host must be a switch of the network, or a switch and a number"):
            made.send(wrong, made.switches[0])
