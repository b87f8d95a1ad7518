"""The plan of an expansion: compares the cables of two networks under a relabelling of the switches."""

from collections import defaultdict
from dataclasses import dataclass

from dsnswitch.net.files.formats.own import object_text
from dsnswitch.net.messages import UsageError


@dataclass(frozen=True)
class Expansion:
    """The changes that turn network ``before`` into network ``after``.

    Take the cables before, leave out those of ``remove``, relabel the others by ``moved``, ``{address before: address after}``,
    and add those of ``add``: these are the cables after. ``remove`` has addresses before, ``add`` those after. ``replug`` are
    cables that join the same two switches, but use another port at one end or at both: pairs of a Link before and a Link after.
    ``kept`` is the number of cables that join the same two switches on the same ports.
    """

    before: object
    after: object
    moved: dict
    remove: list
    add: list
    replug: list
    kept: int

    @property
    def cables(self):
        """Number of cables before, and number after."""
        stay = self.kept + len(self.replug)
        return stay + len(self.remove), stay + len(self.add)

    @property
    def rewired(self):
        """Number of cables that must be unplugged: those to remove, and those that move to another port."""
        return len(self.remove) + len(self.replug)

    @property
    def share(self):
        """Rewired cables as a share of the cables before."""
        return self.rewired / self.cables[0]

    @property
    def paper(self):
        """Share of rewired cables that the topology's paper states, or None."""
        stated = self.before.rewired_share(self.after)
        return None if stated is None else stated[0]


def expand(before, after):
    """The :class:`Expansion` from ``before`` to ``after`` with the relabelling that rewires the fewest cables.

    It compares the relabellings that the topology gives (:meth:`Network.relabellings`). Raises :class:`UsageError` if the first
    network cannot grow to the second.
    """
    if type(before) is not type(after):
        raise UsageError(f"Both networks must be of one kind, not {before.spelling} and {after.spelling}")
    try:
        plans = [_compare(before, after, moved) for moved in before.relabellings(after)]
    except ValueError as error:
        raise UsageError(str(error)) from None
    return min(plans, key=lambda plan: plan.rewired)


def _plugs(network, link, moved=None):
    """Both ends of a link as sorted pairs of switch and port name. ``moved`` relabels the switches."""
    ends = (link.source, link.port), (link.target, link.target_port)
    return tuple(sorted((moved[switch] if moved else switch, network.ports[port].name) for switch, port in ends))


def _compare(before, after, moved):
    """The plan with one relabelling. Of several parallel cables, it keeps the one on the same ports."""
    wanted, others = defaultdict(list), []
    for link in after.links():
        wanted[_plugs(after, link)].append(link)
    kept = 0
    for link in before.links():
        plugs = _plugs(before, link, moved)
        if wanted.get(plugs):
            wanted[plugs].pop()
            kept += 1
        else:
            others.append((link, plugs))
    between = defaultdict(list)
    for plugs, links in wanted.items():
        between[tuple(switch for switch, _ in plugs)].extend(links)
    remove, replug = [], []
    for link, plugs in others:
        same = between.get(tuple(switch for switch, _ in plugs))
        if same:
            replug.append((link, same.pop()))
        else:
            remove.append(link)
    add = [link for links in between.values() for link in links]
    return Expansion(before, after, moved, remove, add, replug, kept)


def _cable(network, link):
    """Both ends of a cable as ``address port``."""
    ends = (link.source, link.port), (link.target, link.target_port)
    return " ".join(f"{network.spell_switch(switch)} {network.ports[port].name}" for switch, port in ends)


def _paper(plan):
    stated = plan.before.rewired_share(plan.after)
    return "" if stated is None else f"; F states {stated[0]:.2%} ({stated[1]})"


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
    return object_text(head, tables)
