"""Proves that a mapped netlist has the function of its source: abc ``&cec`` on the logic between flip-flops.

Flip-flops and RAM have the same names on both sides, because mapping does not change them. Each of their input pins becomes an
output of the logic and each output pin an input, and the solver compares the remaining logic.

A flip-flop or RAM that nothing depends on may be missing in the netlist. Its outputs are then inputs of the netlist, too, to
which nothing is connected, so the proof includes that nothing depends on them.
"""

import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import last_line

_SCRIPT = (
    "read_blif gold.blif; strash; write_aiger gold.aig; read_blif gate.blif; strash; write_aiger gate.aig; "
    "&r gold.aig; &cec gate.aig"
)


def equivalent(gold, gate, ram=None, seconds=None):
    """Whether two BLIF files of Yosys (``write_blif -cname``) agree in every output.

    ``ram`` gives the output pins of each kind of black box; those of flip-flops are ``Q``. The solver ends after ``seconds``.

    Raises :class:`UsageError` if the files differ in ports or flip-flops, or abc does not reach a verdict.
    """
    inputs, outputs, cells, bodies = zip(*(_cut(path.read_text(encoding="utf-8"), ram or {}) for path in (gold, gate)))
    for name in cells[0].keys() - cells[1].keys():
        inputs[1].update(cells[0][name][0])
        outputs[0].difference_update(cells[0][name][1])
    if (inputs[0], outputs[0]) != (inputs[1], outputs[1]):
        odd = sorted((inputs[0] ^ inputs[1]) | (outputs[0] ^ outputs[1]))
        raise UsageError(f"Netlists cannot be compared: {odd[0]} is not in both")
    with tempfile.TemporaryDirectory() as folder:
        for name, body in zip(("gold", "gate"), bodies):
            head = [".model m", f".inputs {' '.join(sorted(inputs[0]))}", f".outputs {' '.join(sorted(outputs[0]))}"]
            Path(folder, f"{name}.blif").write_text("\n".join([*head, *body]) + "\n", encoding="utf-8")
        abc = Path(find_spec("pyosys").origin).parent / "yosys-abc"
        how = {"capture_output": True, "text": True, "errors": "replace", "cwd": folder, "timeout": seconds}
        try:
            log = subprocess.run([abc, "-c", _SCRIPT], **how).stdout
        except subprocess.TimeoutExpired:
            raise UsageError(f"abc gives no verdict within {seconds} seconds") from None
    if re.search("Networks are equivalent", log):
        return True
    if re.search("Networks are NOT EQUIVALENT", log, re.IGNORECASE):
        return False
    raise UsageError(f"abc gives no verdict: {last_line(log)}")


def _cut(text, ram):
    """``(inputs, outputs, cells, body)`` of BLIF text without flip-flops.

    ``inputs`` and ``outputs`` are sets of names, ``cells`` has those of each flip-flop and RAM, and ``body`` has the lines.
    """
    inputs, outputs, cells, body = set(), set(), {}, []
    lines = iter(text.replace("\\\n", " ").splitlines())
    for line in lines:
        head, *words = line.split() or [""]
        if head == ".inputs":
            inputs |= set(words)
        elif head == ".outputs":
            outputs |= set(words)
        elif head == ".subckt":
            name, outs = next(lines).split()[1], {"Q", *ram.get(words[0], ())}
            cells[name] = set(), set()
            for pin, net in (word.split("=", 1) for word in words[1:]):
                if re.sub(r"\[\d+\]$", "", pin) in outs:
                    cells[name][0].add(f"{name}.{pin}")
                    body += [f".names {name}.{pin} {net}", "1 1"]
                else:
                    cells[name][1].add(f"{name}.{pin}")
                    body += [f".names {net} {name}.{pin}", "1 1"]
        elif head not in (".model", ".cname"):
            body.append(line)
    for found in cells.values():
        inputs |= found[0]
        outputs |= found[1]
    return inputs, outputs, cells, body
