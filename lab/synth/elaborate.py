"""Elaborates source files to one design: reading, hierarchy, names, resets. It runs in the process of :mod:`passes`.

Users' names and paths are passed to Yosys as separate words (:mod:`yosys`). Some passes join words to a command again, so they
only receive plain names: a top module or port whose name is not made of letters, digits and underscores is renamed here.
"""

import glob
import json
import os
import re
from pathlib import Path

from dsnswitch.lab.synth import simulation
from dsnswitch.lab.synth.copies import DIAGNOSTICS

#: Readers of source files, in the order in which a user's files are tried: slang, Yosys' own reader, and Yosys' own reader of
#: Verilog in which keywords of SystemVerilog are names.
SLANG, YOSYS = "read_slang", "read_verilog -sv"
READERS = (SLANG, YOSYS, "read_verilog")

#: Options of slang. It lists all errors in :data:`copies.DIAGNOSTICS`. It computes functions of constants if all of them take
#: at most a hundred million steps, about two minutes, and otherwise unrolls them, which takes far longer. Its own limit is a
#: million, too few for the CRC of a wide word.
_SLANG = (
    *("--single-unit", "--ignore-assertions", "--allow-toplevel-iface-ports"),
    *("--max-constexpr-steps", "100000000", "--error-limit", "0", "--diag-column-unit", "byte", "--diag-json"),
)

#: Most iterations of loops by default: more than a CRC of 128 bits needs, and an endless loop is refused after seconds.
UNROLL = 100_000

#: Most iterations in the first attempt, the limit of slang: what exhausts it may be calls that a table computes at once.
FIRST_UNROLL = 4000

#: Line of the log after the sources have been read.
READ = "@@ read"

#: Name of the file with the results: ``top`` and ``straps`` by their new names, ``resets``, the number of flip-flops whose
#: asynchronous reset became a synchronous one, and ``undefined``, whether a user's files leave values to synthesis (``'x``).
ELABORATED = "elaborated.json"

#: Cells of statements that synthesis ignores: messages, assertions and coverage.
_IGNORED = ("$print", "$check", "$assert", "$assume", "$live", "$fair", "$cover")

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

#: Replacement of flip-flops with an asynchronous reset by flip-flops with a synchronous one.
_SYNCHRONOUS = r"""
(* techmap_celltype = "$adff" *)
module plain(CLK, ARST, D, Q);
  parameter WIDTH = 0, CLK_POLARITY = 1, ARST_POLARITY = 1, ARST_VALUE = 0;
  input CLK, ARST;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  \$sdff #(.WIDTH(WIDTH), .CLK_POLARITY(CLK_POLARITY), .SRST_POLARITY(ARST_POLARITY), .SRST_VALUE(ARST_VALUE))
    _TECHMAP_REPLACE_ (.CLK(CLK), .SRST(ARST), .D(D), .Q(Q));
endmodule
(* techmap_celltype = "$adffe" *)
module enabled(CLK, ARST, EN, D, Q);
  parameter WIDTH = 0, CLK_POLARITY = 1, EN_POLARITY = 1, ARST_POLARITY = 1, ARST_VALUE = 0;
  input CLK, ARST, EN;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  \$sdffe #(.WIDTH(WIDTH), .CLK_POLARITY(CLK_POLARITY), .EN_POLARITY(EN_POLARITY), .SRST_POLARITY(ARST_POLARITY),
            .SRST_VALUE(ARST_VALUE)) _TECHMAP_REPLACE_ (.CLK(CLK), .SRST(ARST), .EN(EN), .D(D), .Q(Q));
endmodule
"""


def elaborate(design, run, job):
    """Read the sources of ``job``, and return the job with the new names of ``top`` and ``straps``.

    Then the working directory of the process is the folder of the job.
    """
    _read(run, job)
    # Images of memories have been read by now, relative to the caller's directory.
    os.chdir(job["folder"])
    run("proc")
    if job["foreign"]:
        run("delete", *(f"t:{kind}" for kind in _IGNORED))
    # Makes cells of tristate drivers. Without this pass they would be treated as drivers that are always on.
    run("tribuf")
    job = job | _rename(design, run, job)
    resets = _synchronous_resets(run)
    run("write_rtlil elaborated.il")
    found = {"top": job["top"], "straps": job["straps"], "resets": resets, "undefined": job["foreign"] and _undefined(run)}
    Path(ELABORATED).write_text(json.dumps(found))
    return job


def _undefined(run):
    """Whether the design changes if undefined values and nets without a driver become 0."""
    run("design -save elaborated")
    run("setundef -zero -undriven")
    run("write_rtlil defined.il")
    run("design -load elaborated")
    return Path("defined.il").read_bytes() != Path("elaborated.il").read_bytes()


def _read(run, job):
    defines = [f"-D{name}={value}" for name, value in job["defines"].items()]
    read = _read_slang if job["reader"] == SLANG else _read_yosys
    read(run, job, defines)
    run("log", READ)


def _read_yosys(run, job, defines):
    parameters = [("-chparam", name, _constant(name, value)) for name, value in job["parameters"].items()]
    # Defaults are valid for files of library directories, too.
    run("verilog_defaults -add", *(f"-I{folder}" for folder in job["includes"]), *defines)
    # Elaboration is deferred because a module may be invalid with the default values of its parameters.
    run(job["reader"], *(["-defer"] if parameters else []), *map(_pattern, job["files"]))
    libraries = [word for folder in job["libraries"] for word in ("-libdir", folder)]
    run("hierarchy -check -top", _id(job["top"]), *libraries, *(word for words in parameters for word in words))


def _id(name):
    """A name in the notation of Yosys. Without the backslash, some first characters have a special meaning."""
    return f"\\{name}"


def _read_slang(run, job, defines):
    # slang interprets a file name as a pattern, which cannot be escaped, so it reads links with plain names.
    files, words = [], []
    for index, path in enumerate(job["files"]):
        files.append(_link(path, job["folder"], f"source_{index}.sv"))
    folders = [*map(os.path.dirname, job["files"]), *job["includes"], *job["libraries"]]
    for index, path in enumerate(dict.fromkeys(folders)):
        words += ["-I", _link(path, job["folder"], f"include_{index}")]
    for index, path in enumerate(job["libraries"]):
        words += ["-y", _link(path, job["folder"], f"library_{index}")]
    for extension in job["extensions"]:
        words += ["-Y", extension]
    # A refused attempt has left messages.
    report = Path(job["folder"], DIAGNOSTICS)
    report.unlink(missing_ok=True)
    words = [*_SLANG, report, *words, *defines, *files]
    if job["parameters"] and not job.get("checked"):
        # slang ignores an unknown parameter of a top module, but reports one of an instance.
        values = ", ".join(f".\\{name} ({value})" for name, value in job["parameters"].items())
        path = Path(job["folder"], "parameters.sv")
        path.write_text(f"module dsnswitch_parameters;\n  \\{job['top']} #({values}) top ();\nendmodule\n")
        run("read_slang --ast-compilation-only --top dsnswitch_parameters", *words, path)
        run("design -reset")
    words += [word for name, value in job["parameters"].items() for word in ("-G", f"{name}={value}")]
    limit = job["unroll_limit"] or UNROLL
    words += ["--unroll-limit", limit if job.get("unrolled") else min(limit, FIRST_UNROLL)]
    if job.get("delays"):
        words.append("--ignore-timing")
    if job.get("messages"):
        run("read_slang --ast-compilation-only --top", job["top"], *words)
        run("design -reset")
        simulation.blank(job["folder"])
    run("read_slang --top", job["top"], *words)
    run("hierarchy -check -top", _id(job["top"]))


def _link(path, folder, name):
    link = os.path.join(folder, name)
    # After a refused attempt it exists, or a copy without statements of simulation.
    if not os.path.lexists(link):
        os.symlink(path, link)
    return link


def _constant(name, value):
    """A parameter's value in the form that Yosys' own reader accepts. A string becomes the number of its character codes."""
    if re.match(r"-|[^']*[.eE]", value) and not value.startswith('"'):
        raise SystemExit(f"ERROR: Parameter {name} is negative or a real number, which Yosys' own reader does not take")
    if not value.startswith('"'):
        return value
    octets = value[1:-1].encode()
    return f"{8 * len(octets)}'h{octets.hex()}" if octets else "8'h00"


def _pattern(path):
    """A pattern that matches ``path`` only, because Yosys and slang interpret file names as patterns."""
    return glob.escape(path).replace("\\", "[\\\\]")


def _rename(design, run, job):
    """Give plain names to the top module and its ports; returns ``{"top": .., "straps": ..}``."""
    top = job["top"]
    if not _PLAIN.fullmatch(top):
        top = "top"
        run("rename", _id(job["top"]), top)
    module = design.top_module()
    if module is None or not module.ports:
        raise SystemExit("ERROR: The module is empty")
    ports = {port.str().removeprefix("\\"): module.wire(port).port_input for port in module.ports}
    for strap in job["straps"]:
        if not ports.get(strap):
            raise SystemExit(f"ERROR: Strap {strap} is not an input of the module")
    # No port begins with this stem, so the new names are free.
    stem = "port_"
    while any(name.startswith(stem) for name in ports):
        stem += "_"
    names = {name: name if _PLAIN.fullmatch(name) else f"{stem}{index}" for index, name in enumerate(sorted(ports))}
    run("cd", top)
    for old, new in names.items():
        if old != new:
            run("rename", _id(old), new)
    run("cd")
    return {"top": top, "straps": [names[strap] for strap in job["straps"]]}


def _synchronous_resets(run):
    """Make asynchronous resets synchronous; returns the number of changed flip-flops (of any width)."""
    if not _count(run, "t:$adff", "t:$adffe", "t:$aldff", "t:$aldffe"):
        return 0
    # slang writes resets as loads of a constant, which this pass makes resets.
    run("opt_dff -nodffe -nosdff")
    found = _count(run, "t:$adff", "t:$adffe")
    Path("synchronous.v").write_text(_SYNCHRONOUS)
    run("techmap -map synchronous.v")
    return found


def _count(run, *selection):
    run("tee -q -o selected.txt select -list", *selection)
    lines = Path("selected.txt").read_text().splitlines()
    return sum("/" in line for line in lines)
