"""The documentation site, as hooks of mkdocs: `mkdocs.yml` names this file, and `make docs` builds build/site.

The guide is the pages of docs/ and those of :data:`TOP`. Each block has a page by its manifest, and each package one by its
docstrings, which mkdocstrings reads.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

from dsnswitch.gen.blocks import BLOCKS, DEVICE
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import groups, manifest, never_elaborated
from dsnswitch.net.svg import EDGE, GREY, INK, SHELL, add, picture, text_of
from tools.docs.markdown import table
from tools.figures.hop import CLOCK

#: The folder of the repository.
ROOT = Path(__file__).resolve().parents[1]

#: Pages outside docs/, and their names in the site.
TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
}

#: Packages and modules that only the gateware makes use of, and the designs for comparison. No page shows them.
INTERNAL = ("hdl.baseline", "hdl.gf", "hdl.logic", "hdl.routing.ring", "net.routing.dsn.local")

_LINK = re.compile(r"(!?\[[^\]\n]*\])\(([^)\s]+)\)")
_ROLE = re.compile(r":\w+:<code>(?:~(?:[\w.]*\.)?|\.+)?([^<]*)</code>")


def on_files(files, config):
    """Add the generated pages and pictures, and the navigation: guide, blocks and reference."""
    from mkdocs.structure.files import File

    made = {new: (ROOT / old).read_text(encoding="utf-8") for old, new in TOP.items()} | block_pages() | reference_pages()
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown, page, config, files):
    """Links between the pages of the repository lead to those of the site."""
    name = page.file.src_uri
    outside = {new: old for old, new in TOP.items()}.get(name)
    return markdown if "/" in name else linked(markdown, Path(outside).parent.as_posix() if outside else "docs")


def on_page_content(html, page, config, files):
    """Roles of reStructuredText in docstrings are plain code."""
    return _ROLE.sub(r"<code>\1</code>", html)


def linked(text, folder):
    """The text of a page with links adapted to the site. A link to a file that is not in the site becomes the name of the file.

    ``folder`` is the folder of the page in the repository.
    """

    def link(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, mark, anchor = target.partition("#")
        path = (ROOT / folder / path).resolve().relative_to(ROOT).as_posix()
        if path in TOP:
            return f"{label}({TOP[path]}{mark}{anchor})"
        return f"{label}({path.removeprefix('docs/')}{mark}{anchor})" if path.startswith("docs/") else f"`{path}`"

    return _LINK.sub(link, text)


def navigation(names):
    """The navigation of the site: guide, blocks and reference."""
    found = {"Guide": ["index.md"], "Blocks": ["blocks/index.md"], "Reference": ["reference/index.md"]}
    for name in sorted(names):
        part = found[{"blocks": "Blocks", "reference": "Reference"}.get(name.partition("/")[0], "Guide")]
        if name not in part:
            part.append(name)
    return [{title: pages} for title, pages in found.items()]


# The reference: a page for each package.


def exported(module):
    """Names of the public classes and functions of ``module``: those of ``__all__``, or without it those defined there."""
    found = import_module(f"dsnswitch.{module}")
    names = getattr(found, "__all__", None) or [
        name
        for name, part in vars(found).items()
        if not name.startswith("_") and getattr(part, "__module__", "") == found.__name__
    ]
    return [name for name in names if inspect.isclass(getattr(found, name)) or inspect.isfunction(getattr(found, name))]


def packages():
    """``{package: its modules}`` of all modules of networks, gateware, simulation and generator that export something."""
    found = {}
    for top in ("net", "hdl", "sim/network", "gen"):
        for path in sorted((ROOT / top).rglob("*.py")):
            *package, stem = path.relative_to(ROOT).with_suffix("").parts
            module = ".".join((*package, stem))
            hidden = any(f"{module}.".startswith(f"{one}.") for one in INTERNAL)
            if not stem.startswith("__") and package[:2] != ["gen", "cli"] and not hidden and exported(module):
                found.setdefault(".".join(package), []).append(module)
    return found


def reference_pages():
    """``{name: text}`` of the pages of all packages, and of their list."""
    found, rows = {}, []
    for package, modules in packages().items():
        text = inspect.getdoc(import_module(f"dsnswitch.{package}")) or ""
        parts = [f"::: dsnswitch.{module}\n    options:\n      members: [{', '.join(exported(module))}]\n" for module in modules]
        found[f"reference/{package}.md"] = "\n".join([f"# {package}\n", f"{text}\n", *parts])
        rows.append([f"[`{package}`]({package}.md)", text.partition("\n")[0]])
    head = "# Python interface\n\nGateware is `wiring.Component` of Amaranth. The packages of `net` need no Amaranth."
    return found | {"reference/index.md": f"{head}\n\n{table(['package', 'contents'], rows)}\n"}


# A page for each block: parameters, ports and latency of a sample.

#: Samples that are not those of the examples of mandatory parameters.
SAMPLES = {"forwarding": {"p": 3, "entries": 18}, "fabric-port": {"p": 3, "port": "x_forward"}}
SAMPLES |= {name: {"p": 3} for name in ("route", "switch-core", "switch")}

#: Block -> picture in docs/pictures that shows its internal structure.
INSIDE = {
    "route": "router-logic.svg",
    "fabric-port": "fabric-words.svg",
    "switch-core": "switch-core.svg",
    "switch": "switch.svg",
    "forwarding": "forwarding.svg",
    **{f"{link}-link{part}": f"{link}-link.svg" for link in ("light", "strict") for part in ("", "-tx", "-rx")},
}


def sample(name):
    """The configured block whose ports and latency are shown on the page of the block ``name``."""
    examples = {key: one.example for key, one in BLOCKS[name].OPTIONS.items() if one.example is not None}
    return build({"block": name, **SAMPLES.get(name, examples)})


def block_pages():
    """``{name: text}`` of the pages and pictures of all blocks, and of the list of blocks."""
    pages = {}
    for name, block in BLOCKS.items():
        with never_elaborated():
            found = sample(name)
            about = manifest(found, found.component(), {})
        pages[f"blocks/{name}.svg"] = symbol(about["top"], about["ports"])
        pages[f"blocks/{name}.md"] = _page(name, block, about)
    rows = [[f"[`{name}`]({name}.md)", block.summary()] for name, block in BLOCKS.items()]
    head = f"# Blocks\n\nEvery block that `dsnswitch verilog --block` generates; the default is `{DEVICE}`."
    return pages | {"blocks/index.md": f"{head}\n\n{table(['block', 'what it is'], rows)}\n"}


def _page(name, block, about):
    """Text of one page."""
    words = [f"`--{key.replace('_', '-')} {value}`" for key, value in about["parameters"].items() if value not in (None, False)]
    cycles = about["latency_cycles"]
    parts = [
        f"# {name}\n\n{block.summary()} [Figures](../figures.md) has the area and delay of measured blocks.",
        f"![Ports of {about['top']}]({name}.svg)",
        f"![Inside the block](../pictures/{INSIDE[name]})" if name in INSIDE else "",
        f"## Parameters\n\n{_parameters(block)}",
        f"## Ports and latency\n\nOf `{about['top']}` ({', '.join(words) or 'no parameters'}). Latency: {cycles} "
        f"cycle{'s' * (cycles != 1)}, {1000 * cycles / CLOCK:.1f} ns at {CLOCK:.1f} MHz. "
        f"Results per cycle: {about['results_per_cycle']:g}.\n\n{_ports(about['ports'])}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _parameters(block):
    if not block.OPTIONS:
        return "The block has no parameters."
    rows = [[f"`{key}`", one.range, _cell(one.description)] for key, one in block.OPTIONS.items()]
    return table(["parameter", "values", "meaning"], rows)


def _ports(ports):
    rows = [
        [f"`{port['name']}`", port["direction"], str(port["width"]), sentence]
        for sentence, group in groups(ports)
        for port in group
    ]
    return table(["port", "direction", "bits", "meaning"], rows)


def _cell(text):
    return re.sub(r"([|*\[\]])", r"\\\1", text)


# The symbol of a block: a box with inputs on the left and outputs on the right.

#: Height of a port's line, width of a character, margin between the box and the edge of the picture.
LINE, CHARACTER, MARGIN = 20, 7, 36


def symbol(top, ports):
    """SVG text of a block called ``top``; ``ports`` are dictionaries with ``name``, ``direction`` and ``width``."""
    sides = [[port for port in ports if port["direction"] == way] for way in ("input", "output")]
    longest = [max((len(port["name"]) for port in side), default=0) for side in sides]
    width = 2 * MARGIN + max(CHARACTER * (sum(longest) + 8), 8 * len(top) + 2 * LINE)
    height = LINE * (max(map(len, sides)) + 3)
    root = picture(width, height, f"Ports of {top}")
    add(root, "rect", x=MARGIN, y=8, width=width - 2 * MARGIN, height=height - 16, rx=5, fill=SHELL, stroke=EDGE)
    add(root, "text", top, x=width / 2, y=8 + LINE, font_size=13, font_weight="bold", fill=INK, text_anchor="middle")
    for left, side in zip((True, False), sides):
        for row, port in enumerate(side):
            _port(root, port, left, width, LINE * (row + 2.5))
    return text_of(root)


def _port(root, port, left, width, y):
    inner, outer = (MARGIN, 0) if left else (width - MARGIN, width)
    wide = port["width"] > 1
    add(root, "line", x1=outer, y1=y, x2=inner, y2=y, stroke=INK, stroke_width=2.5 if wide else 1)
    step, anchor = (6, "start") if left else (-6, "end")
    add(root, "text", port["name"], x=inner + step, y=y + 4, font_size=12, fill=INK, text_anchor=anchor)
    if wide:
        add(root, "text", str(port["width"]), x=MARGIN / 2 if left else width - MARGIN / 2, y=y - 4, font_size=10, fill=GREY,
            text_anchor="middle")  # fmt: skip
