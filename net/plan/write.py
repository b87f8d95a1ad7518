"""A plan of an expansion as text and as JSON."""

import json

__all__ = ["as_json", "as_text"]


def _cable(network, link):
    """Both ends of a cable as ``address port``."""
    ends = (link.source, link.port), (link.target, link.target_port)
    return " ".join(f"{network.spell_switch(switch)} {network.ports[port].name}" for switch, port in ends)


def _paper(plan):
    if plan.paper is None:
        return ""
    p = plan.before.p
    why = f"(p + 7) / (4 p + 4) with p = {p}" if plan.paper else "no change of p"
    return f"; F states {plan.paper:.2%} ({why})"


def as_text(plan):
    """A summary, then one line for each cable to remove or to replug, each changed address, and each cable to add."""
    before, after = plan.before, plan.after
    cables = plan.cables
    lines = [
        f"{before.spelling} to {after.spelling}",
        f"switches  {before.nodes} before, {after.nodes} after",
        f"cables    {cables[0]} before, {cables[1]} after",
        f"keep      {plan.kept}",
        f"remove    {len(plan.remove)}",
        f"replug    {len(plan.replug)} (the same two switches, another port)",
        f"add       {len(plan.add)}",
        f"rewired   {plan.share:.2%} of the cables before: remove and replug{_paper(plan)}",
    ]
    lines += [f"remove {_cable(before, link)}" for link in plan.remove]
    lines += [f"replug {_cable(before, old)} -> {_cable(after, new)}" for old, new in plan.replug]
    changed = ((old, new) for old, new in plan.moved.items() if old != new)
    lines += [f"rename {before.spell_switch(old)} -> {after.spell_switch(new)}" for old, new in changed]
    lines += [f"add {_cable(after, link)}" for link in plan.add]
    return "\n".join(lines) + "\n"


def _row(network, link):
    return {
        "source": list(link.source),
        "source_port": network.ports[link.port].name,
        "target": list(link.target),
        "target_port": network.ports[link.target_port].name,
        "kind": network.ports[link.port].kind,
        "level": network.level(link.source, link.port),
    }


def as_json(plan):
    """The plan as one JSON object.

    ``switches`` lists every old switch with its addresses before and after the expansion. Cables in ``remove``, and those in
    ``before`` of ``replug``, have addresses before the expansion. All other cables have addresses after it.
    """
    before, after = plan.before, plan.after
    head = {
        "format": "dsnswitch-expansion",
        "version": 1,
        "from": before.spelling,
        "to": after.spelling,
        "cables_before": plan.cables[0],
        "cables_after": plan.cables[1],
        "kept": plan.kept,
        "rewired": plan.rewired,
        "share": plan.share,
        "paper_share": plan.paper,
    }
    tables = {
        "switches": [{"before": list(old), "after": list(new)} for old, new in plan.moved.items()],
        "remove": [_row(before, link) for link in plan.remove],
        "replug": [{"before": _row(before, old), "after": _row(after, new)} for old, new in plan.replug],
        "add": [_row(after, link) for link in plan.add],
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, rows in tables.items():
        body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        lines.append(f'  "{key}": [\n{body}\n  ]' if rows else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"
