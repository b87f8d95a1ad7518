"""Proves that a mapped netlist has the function of its source: abc ``&cec`` on the logic between flip-flops.

Flip-flops and RAM have the same names on both sides, because mapping does not change them. Each of their input pins becomes an
output of the logic and each output pin an input, and the solver compares the remaining logic.
"""

import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from ..errors import UsageError

__all__ = ["equivalent"]

_SCRIPT = (
    "read_blif gold.blif; strash; write_aiger gold.aig; read_blif gate.blif; strash; write_aiger gate.aig; "
    "&r gold.aig; &cec gate.aig"
)


def equivalent(gold, gate, ram=None):
    """Whether two BLIF files of Yosys (``write_blif -cname``) agree in every output.

    ``ram`` gives the output pins of each kind of black box; those of flip-flops are ``Q``.

    Raises
    ------
    UsageError
        If the files differ in ports or flip-flops, or abc does not reach a verdict.
    """
    cut = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in (("gold", gold), ("gate", gate)):
            text, cut[name] = _cut(path.read_text(encoding="utf-8"), ram or {})
            Path(folder, f"{name}.blif").write_text(text, encoding="utf-8")
        if cut["gold"] != cut["gate"]:
            odd = sorted(set().union(*cut["gold"]) ^ set().union(*cut["gate"]))
            raise UsageError(f"Netlists cannot be compared: {odd[0] if odd else 'a port'} is not in both")
        abc = Path(find_spec("pyosys").origin).parent / "yosys-abc"
        log = subprocess.run([abc, "-c", _SCRIPT], capture_output=True, text=True, errors="replace", cwd=folder).stdout
    if re.search("Networks are equivalent", log):
        return True
    if re.search("Networks are NOT EQUIVALENT", log, re.IGNORECASE):
        return False
    lines = log.strip().splitlines() or ["no message"]
    raise UsageError(f"abc gives no verdict: {lines[-1]}")


def _cut(text, ram):
    """BLIF text without flip-flops, and its ``(inputs, outputs)``, sorted."""
    inputs, outputs, body = set(), set(), []
    lines = iter(text.replace("\\\n", " ").splitlines())
    for line in lines:
        head, *words = line.split() or [""]
        if head == ".inputs":
            inputs |= set(words)
        elif head == ".outputs":
            outputs |= set(words)
        elif head == ".subckt":
            name, outs = next(lines).split()[1], {"Q", *ram.get(words[0], ())}
            for pin, net in (word.split("=", 1) for word in words[1:]):
                if re.sub(r"\[\d+\]$", "", pin) in outs:
                    inputs.add(f"{name}.{pin}")
                    body += [f".names {name}.{pin} {net}", "1 1"]
                else:
                    outputs.add(f"{name}.{pin}")
                    body += [f".names {net} {name}.{pin}", "1 1"]
        elif head not in (".model", ".cname"):
            body.append(line)
    ports = sorted(inputs), sorted(outputs)
    head = [".model m", f".inputs {' '.join(ports[0])}", f".outputs {' '.join(ports[1])}"]
    return "\n".join([*head, *body]) + "\n", ports
