"""JSON schema of the result of a simulation."""

from dsnswitch.sim.network.engine.runtime import CAUSES
from dsnswitch.sim.network.experiment.results import HISTOGRAMS, STATISTICS

__all__ = ["SCHEMA"]


def _object(**properties):
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [key for key in properties if key not in _OPTIONAL],
    }


_OPTIONAL = (
    "block",
    "channel_limit",
    "load",
    "completion",
    "offered",
    "accepted",
    "saturated",
    "warm_up",
    "cycles",
    "confidence",
    "saturation",
    "ordered",
    "failed_links",
    "returns",
    "source_cycles",
    "virtual_networks",
    "outstanding",
    "blocked",
)
_NUMBER, _MAYBE, _COUNT, _TEXT = (
    {"type": "number"},
    {"type": ["number", "null"]},
    {"type": "integer", "minimum": 0},
    {"type": "string"},
)


def _list(item):
    return {"type": "array", "items": item}


def _maybe(schema, about):
    return {"anyOf": [schema, {"type": "null"}], "description": about}


_LATENCY = _object(
    **{name: {**_object(**dict.fromkeys(STATISTICS, _MAYBE)), "description": about} for name, about in HISTOGRAMS.items()}
)

#: JSON schema of a result.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch simulation",
    "description": "Result of dsnswitch simulate. Latencies are cycles, loads flits per sending host and cycle.",
    **_object(
        format={"const": "dsnswitch-simulation"},
        version={"const": 1},
        generator=_TEXT,
        network=_object(topology=_TEXT, title=_TEXT, switches=_COUNT, hosts=_COUNT),
        core=_object(
            top=_TEXT,
            routing=_TEXT,
            parameters={"type": "object"},
            luts=_COUNT,
            flip_flops=_COUNT,
            isa=_TEXT,
            block=_TEXT,
            channel_limit={
                **_NUMBER,
                "description": "Flits per cycle that a channel of the longest link carries at most: buffers and credits.",
            },
        ),
        traffic=_object(
            pattern=_TEXT,
            flits=_TEXT,
            burst=_maybe(_list(_NUMBER), "Mean cycles of bursts and of the silence between them."),
            link_delay={
                "anyOf": [_COUNT, _list(_COUNT)],
                "description": "Cycles that a link takes besides those of the switches: a number, or one for each of links.",
            },
            failed={**_list(_TEXT), "description": "Failures as they were asked for."},
            failed_links={
                **_list(_object(**{"from": _TEXT}, port=_TEXT, to=_TEXT, cycle={"type": ["integer", "null"]}, returns=_COUNT)),
                "description": "Each failed link at one of its ends, also those that were chosen at random. The cycle is null if "
                "it fails before the first one; returns is the cycle in which it is alive again.",
            },
            outstanding={**_COUNT, "description": "Most requests of a host without a reply, if hosts answer packets."},
            blocked={**_list(_TEXT), "description": "Hosts that take no packet."},
            reroute={
                "type": ["integer", "null"],
                "description": "Cycles from a failure, or the return of a link, until new tables are written.",
            },
            bit_errors={**_NUMBER, "description": "Probability per bit of an error that a link cannot correct."},
            ordered={
                **_NUMBER,
                "description": "Share of the flows whose packets are promised to stay in order, which is checked: all of them, or"
                " none if links fail during the run; where packets choose those that are marked, and 0 if none is.",
            },
        ),
        rules=_object(
            tolerance=_NUMBER,
            accepted=_NUMBER,
            limit=_NUMBER,
            packets=_COUNT,
            warm_up={"type": ["integer", "null"]},
            cycles=_COUNT,
        ),
        links={**_list(_object(**{"from": _TEXT}, port=_TEXT, to=_TEXT)), "description": "Every link in each direction."},
        points=_list(
            _object(
                load=_NUMBER,
                completion=_COUNT,
                seed=_COUNT,
                senders=_COUNT,
                offered=_NUMBER,
                accepted=_NUMBER,
                saturated={"type": "boolean"},
                warm_up=_COUNT,
                cycles=_COUNT,
                confidence={**_MAYBE, "description": "Half of the 95 % confidence interval of the mean of queued_tail."},
                packets=_COUNT,
                missing=_COUNT,
                marked={**_COUNT, "description": "Packets that arrived with the mark bad."},
                lost={
                    **_object(**dict.fromkeys(CAUSES, _COUNT)),
                    "description": "Lost packets: an error hit the head; no live port; too many hops; back to where they came "
                    "from; not delivered by detours.",
                },
                latency=_LATENCY,
                virtual_networks={
                    **_list(_object(offered=_NUMBER, accepted=_NUMBER, packets=_COUNT, latency=_LATENCY)),
                    "description": "The same of the packets of each virtual network, if there are several.",
                },
                hops={
                    **_object(mean=_MAYBE, max={"type": ["integer", "null"]}, histogram=_list(_COUNT)),
                    "description": "Links that packets pass; the histogram begins with 0.",
                },
                zero_load=_maybe(
                    _object(
                        switches=_NUMBER,
                        switch_cycles=_COUNT,
                        links=_NUMBER,
                        link_cycles=_COUNT,
                        source_cycles=_COUNT,
                        serialisation=_NUMBER,
                        latency=_NUMBER,
                        contention=_NUMBER,
                    ),
                    "Mean latency of these packets without contention: switches x switch_cycles + links x link_cycles + "
                    "source_cycles + serialisation. The contention is what the mean of tail has above it.",
                ),
                fairness={
                    **_object(
                        least=_MAYBE, slowest_2_percent=_MAYBE, greatest=_MAYBE, jain=_MAYBE, silent=_COUNT, longest_wait=_COUNT
                    ),
                    "description": "Delivered flits by source, relative to the mean of the sending hosts; sending hosts of which"
                    " nothing arrived; the longest time, a multiple of 16 cycles, for which an input buffer that held flits"
                    " sent none.",
                },
                buffers={
                    "type": "object",
                    "additionalProperties": _list(_MAYBE),
                    "description": "Mean flits in the input buffers by port and channel.",
                },
                links={**_list(_NUMBER), "description": "Loads of the links, in the order of the result's links."},
            )
        ),
        saturation=_object(
            over=_NUMBER,
            stable=_NUMBER,
            precision=_NUMBER,
            slowest_2_percent=_MAYBE,
            tried=_list(_object(load=_NUMBER, accepted=_NUMBER, latency=_MAYBE, stable={"type": "boolean"})),
        ),
        speed=_object(cycles=_COUNT, seconds=_NUMBER, cycles_per_second=_NUMBER),
    ),
}
