"""Divides a schedule into functions of similar size."""

from dsnswitch.sim.network.compile.schedule import Schedule

__all__ = ["Chunk", "chunks_of"]


class Chunk:
    """A function: some LUTs and flip-flops of a unit, in order."""

    def __init__(self, unit, static):
        self.unit, self.static, self.steps = unit, static, []

    def luts(self) -> list[int]:
        return [net for kind, net in self.steps if kind == "lut"]


def chunks_of(schedule: Schedule, most: int) -> list[Chunk]:
    """Functions of about ``most`` LUTs for a ``Schedule``, in the order of evaluation."""
    exported = schedule.exported()
    pieces = {}
    for place, name in enumerate(schedule.order):
        unit = schedule.units[name]
        for net in unit.order:
            if unit.luts[net][1]:
                pieces.setdefault((*schedule.phase[name, net], place), ([], []))[0].append(net)
        for q in unit.flops:
            pieces.setdefault((*schedule.flop_phase(name, q), place), ([], []))[1].append(q)
    chunks = []
    for key in sorted(pieces):
        name = schedule.order[key[2]]
        unit, (luts, flops) = schedule.units[name], pieces[key]
        inside, done = set(luts), set()
        steps = []

        def visit(root, unit=unit, inside=inside, done=done, steps=steps):
            stack = [root]
            while stack:
                net = stack[-1]
                if net in done or net not in inside:
                    stack.pop()
                    continue
                missing = [other for other in reversed(unit.luts[net][1]) if other in inside and other not in done]
                if missing:
                    stack += missing
                else:
                    done.add(net)
                    steps.append(("lut", net))
                    stack.pop()

        for q in flops:
            visit(unit.flops[q][0])
            steps.append(("flop", q))
        for net in luts:
            if net in exported[name]:
                visit(net)
        for net in luts:
            visit(net)
        count = sum(kind == "lut" for kind, _ in steps)
        size = -(-len(steps) // max(1, round(count / most)))
        for first in range(0, len(steps), size):
            chunks.append(Chunk(name, not key[0]))
            chunks[-1].steps = steps[first : first + size]
    return chunks
