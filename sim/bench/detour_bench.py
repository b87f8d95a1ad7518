"""Bench of the route logic with detours, against the golden model: port, class and header bits of every decision.

Parameters: ``manifest`` (path), ``routes`` (0 for every pair and every single failed link on its route, else a number of random
pairs, each with single and with many failed links), ``seed``.
"""

import cocotb

from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM
from dsnswitch.sim.bench.drivers.route_driver import DetourStates, RouteDriver, batches, pairs
from dsnswitch.sim.golden.routing.detour import ARRIVED, UNDELIVERABLE

DSN = network_of_manifest(MANIFEST)
STATES = DetourStates(DSN, MANIFEST["outputs"][0]["classes"])
LINKS = [((link.source, link.port), (link.target, link.target_port)) for link in DSN.links()]


def routes():
    """``(source, target, failed)`` of every route to check. One link of the route has failed, or many links of the network."""
    of_port = {end: set(link) for link in LINKS for end in link}
    for source, target in pairs(DSN, each=1, count="routes"):
        yield source, target, set()
        states = STATES.route(source, target, set())
        for state in states[:-1]:
            yield source, target, of_port[state.switch, STATES.answer(state)[0]]
        if PARAMETERS.get("routes"):
            share = RANDOM.choice((0.05, 0.2, 0.5))
            yield source, target, {end for link in RANDOM.sample(LINKS, round(share * len(LINKS))) for end in link}


@cocotb.test()
async def every_decision(dut):
    """All decisions along every route agree, including those at switches with failed links."""
    driver = await RouteDriver.begin(dut)
    own = MANIFEST["node"] and tuple(MANIFEST["node"])
    asked = {state for route in routes() for state in STATES.route(*route) if own in (None, state.switch)}
    ends = {ARRIVED: 0, UNDELIVERABLE: 0}
    for states in batches(sorted(asked, key=lambda state: (state.switch, str(state))), driver.lanes):
        driver.put(
            in_port=[0 if state.arrival is None else 1 << state.arrival for state in states],
            dead=[state.dead for state in states],
            in_class=[state.virtual_class for state in states],
            in_state=[state.header for state in states],
        )
        answers = await driver.decide_all([(state.switch, state.target) for state in states])
        others = (driver.get(name, len(states)) for name in ("undeliverable", "out_class", "out_state"))
        for state, found, *more in zip(states, answers, *others):
            answer, found = STATES.answer(state), (*found, *more)
            if answer in ends:
                ends[answer] += 1
                found, wanted = found[:4], (0, int(answer == ARRIVED), 0, int(answer == UNDELIVERABLE))
            else:
                wanted = (1 << answer[0], 0, 0, 0, *answer[1:])
            assert found == wanted, f"{state}: {found}, golden model {wanted}"
    dut._log.info("%d decisions agree, %s", len(asked), ends)
    assert ends[ARRIVED]
    assert bool(ends[UNDELIVERABLE]) == bool(PARAMETERS.get("routes", 0)), "exactly many failed links cut off packets"
