"""A result of a simulation as text for people."""

from typing import Any

from dsnswitch.net.routing.registry import keeps_marked
from dsnswitch.sim.network.experiment.results import HISTOGRAMS, STATISTICS

__all__ = ["text"]

#: Number of links that the text shows as most loaded ones.
MOST_LOADED = 4


def _shown(value, digits=2):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _span(delay):
    if not isinstance(delay, list):
        return delay
    return f"{min(delay, default=0)} to {max(delay, default=0)}"


def _table(heads, rows):
    widths = [max(map(len, column)) for column in zip(heads, *rows)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in (heads, *rows)]


#: Sizes of a core by the names of its parameters, and how the text says them.
_SIZES = {"flit": "flits of {} bits", "packet": "packets of up to {} flits", "depth": "{} flits per channel"}


def _sizes(parameters, usual):
    line = ", ".join(form.format(parameters[name]) for name, form in _SIZES.items())
    if all(parameters[name] == usual[name] for name in _SIZES):
        return line
    return f"{line} (dsnswitch verilog: {', '.join(str(usual[name]) for name in _SIZES)})"


def text(result: dict[str, Any], usual: dict[str, Any]) -> str:
    """A result as text for people. ``usual`` are the sizes of a core that is emitted without options: flit, packet, depth."""
    core, traffic = result["core"], result["traffic"]
    kind = core.get("block", "core").removeprefix("switch-")
    lines = [
        f"network     {result['network']['title']}: {_count(result['network']['switches'], 'switch', 'es')},"
        f" {_count(result['network']['hosts'], 'host')}",
        f"{kind:<12}{core['top']}, routing {core['routing']}; {core['luts']} LUTs, {core['flip_flops']} flip-flops",
        f"sizes       {_sizes(core['parameters'], usual)}",
        f"traffic     {traffic['pattern']}, packets of {_count(traffic['flits'], 'flit')}, links of"
        f" {_span(traffic['link_delay'])} further cycles",
    ]
    if keeps_marked(core["parameters"]):
        share = traffic["ordered"]
        promise = f"promised for {share:.0%} of the flows, whose packets are marked" if share else "not promised"
        lines.append(f"order       {promise}")
    if traffic["failed"] or traffic["bit_errors"]:
        count = len(traffic["failed_links"])
        failed = f"failed {', '.join(traffic['failed'])}: {_count(count, 'link')}" if count else "failed none"
        lines.append(f"links       {failed}; errors {traffic['bit_errors']:g} per bit")
        lines += _late(traffic["failed_links"], result["points"])
    if traffic.get("outstanding"):
        requests = _count(traffic["outstanding"], "request")
        lines.append(f"hosts       answer packets; each has at most {requests} without a reply")
    if traffic.get("blocked"):
        lines.append(f"blocked     hosts {', '.join(traffic['blocked'])} take no packet")
    limit = core.get("channel_limit", 1)
    if limit < 1:
        depth = core["parameters"]["depth"]
        lines.append(
            f"credits     a channel of a link carries at most {limit:.3f} flits per cycle: buffers of {depth} flits, and"
            f" at least {depth / limit:.0f} cycles until a credit is back"
        )
    points = result["points"]
    if len(points) == 1:
        lines += _one(points[0], result["links"])
    elif points:
        heads = ["load", "offered", "accepted", "mean", "+-", "median", "p99", "p99.9", "max", "hops", "contention"]
        rows = []
        for point in points:
            latency = point["latency"]["queued_tail"]
            measures = [_shown(latency[key]) for key in ("mean",)] + [_shown(point["confidence"])]
            measures += [_shown(latency[key], 0) for key in ("median", "p99", "p99.9", "max")]
            rest = [_shown(point["hops"]["mean"], 3), _shown((point["zero_load"] or {}).get("contention"))]
            if point["saturated"]:
                measures, rest[1] = ["saturated", *"-----"], "-"
            rows.append([f"{point['load']:g}", *(f"{point[key]:.4f}" for key in ("offered", "accepted")), *measures, *rest])
        lines += ["", "latency in cycles: tail, with source queue", *_table(heads, rows)]
    if result.get("saturation"):
        found = result["saturation"]
        lines += [
            "",
            f"saturation  over    {found['over']:.4f} flits per host and cycle accepted, if sources always have a packet;",
            f"                    the slowest 2 % of the sources get {_shown(found['slowest_2_percent'])} of the mean",
            f"            stable  {found['stable']:.3f} +-{found['precision']:g}: the greatest offered load of which"
            f" {100 * result['rules']['accepted']:g} % is accepted",
            f"                    with a mean latency of at most {result['rules']['limit']:g} cycles",
        ]
    speed = result["speed"]
    lines += ["", f"{speed['cycles']} cycles, {speed['cycles_per_second']:.0f} per second, {core['isa']}"]
    return "\n".join(lines) + "\n"


def _count(number, what, plural="s"):
    return f"{number} {what}{plural if str(number) != '1' else ''}"


def _networks(point):
    """Lines about virtual networks, if there are several."""
    networks = point.get("virtual_networks", [])
    if not networks:
        return []
    rows = []
    for number, one in enumerate(networks):
        latency = one["latency"]["queued_tail"]
        loads = (f"{one[key]:.4f}" for key in ("offered", "accepted"))
        rows.append([str(number), *loads, *(_shown(latency[key], 2 if key == "mean" else 0) for key in STATISTICS)])
    return ["", *_table(["virtual network", "offered", "accepted", *STATISTICS], rows)]


def _late(failed, points):
    """Lines about links that would have failed after the end of a measurement, which did not change anything."""
    lines = []
    for point in points:
        end = point.get("warm_up", 0) + point.get("cycles", 0)
        late = [one["cycle"] for one in failed if one["cycle"] is not None and one["cycle"] >= end]
        if late:
            lines.append(
                f"too late    at load {point['load']:g}, the measurement ended in cycle {end}, before {_count(len(late), 'link')}"
                f" failed in cycle {min(late)}{' or later' * (len(set(late)) > 1)}"
            )
    return lines


def _one(point, links):
    """Lines of one point; ``links`` are those of the result."""
    lines = []
    if "completion" in point:
        lines.append(
            f"completion  {point['completion']} cycles for {_count(point['packets'], 'packet')} of"
            f" {_count(point['senders'], 'host')}"
        )
    else:
        state = "saturated, so the latencies grow with the time of the run" if point["saturated"] else "stable"
        if not point["packets"]:
            held = "sources hold packets for longer than the measurement" if point["saturated"] else "no packet was offered"
            state += f"; {held}, so it has none"
        lines += [
            f"load        offered {point['offered']:.4f}, accepted {point['accepted']:.4f} flits per host and cycle: {state}",
            f"measured    {_count(point['packets'], 'packet')} in {point['cycles']} cycles after {point['warm_up']} of warm-up,"
            f" {point['missing']} missing",
        ]
    if point["marked"] or any(point["lost"].values()):
        causes = ", ".join(f"{number} {cause}" for cause, number in point["lost"].items() if number) or "none"
        lines.append(f"not intact  {_count(point['marked'], 'packet')} marked bad; lost: {causes}")
    if not point.get("saturated"):
        rows = [
            [what, *(_shown(point["latency"][name][key], 2 if key == "mean" else 0) for key in STATISTICS)]
            for name, what in HISTOGRAMS.items()
        ]
        lines += ["", *_table(["latency in cycles", *STATISTICS], rows)]
        if point.get("confidence") is not None:
            lines.append(f"95 % confidence of the mean, with source queue: +-{point['confidence']:.2f} (batch means)")
    lines += _networks(point)
    zero, hops = point["zero_load"], point["hops"]
    lines += ["", f"hops        mean {_shown(hops['mean'], 4)}, maximum {_shown(hops['max'])}"]
    if zero and not point.get("saturated"):
        rest = zero["serialisation"] + zero.get("source_cycles", 0)
        lines.append(
            f"zero load   {zero['switches']:.4f} switches x {zero['switch_cycles']} + {zero['links']:.4f} links x"
            f" {zero['link_cycles']} + {rest:g} = {zero['latency']:.4f} cycles; contention adds"
            f" {zero['contention']:.4f}"
        )
    loaded = sorted(zip(point["links"], links), key=lambda pair: -pair[0])[:MOST_LOADED]
    busiest = [f"{row['from']} {row['port']} {load:.3f}" for load, row in loaded]
    lines.append(f"links       {'; '.join(busiest) or '-'} flits per cycle")
    fair = point["fairness"]
    silent = f"; NOTHING arrived from {_count(fair['silent'], 'source')}" if fair["silent"] else ""
    lines += [
        f"fairness    sources get {_shown(fair['least'])} to {_shown(fair['greatest'])} of the mean, the slowest 2 %"
        f" {_shown(fair['slowest_2_percent'])}; Jain's index {_shown(fair['jain'], 4)}{silent}",
        f"waits       a head waited for {fair['longest_wait']} cycles at most, in steps of 16",
    ]
    return lines
