"""Direct table, keys, selector and forwarding: emitted Verilog against the golden models; images that load; mutants."""

import random
import shutil
import subprocess
from functools import cache

import pytest
from amaranth.hdl import Module, Mux

from dsnswitch.gen.table.compile import compile_fabric
from dsnswitch.gen.table.dsn import compile_node, key_of
from dsnswitch.gen.table.fabric import fabric_of_dsn
from dsnswitch.gen.table.trie import ANY
from dsnswitch.gen.table.write import direct_image, ternary_image
from dsnswitch.hdl.switch import Forwarding
from dsnswitch.hdl.table import DirectTable, RouteSelector, TableKey
from dsnswitch.hdl.topology import Coc, grid, ring
from dsnswitch.sim.golden.topology import nodes
from dsnswitch.sim.run import SimulationError, run_bench

DSN = grid(4, 2)
BROKEN = [((0, 0, 0), (2, 0, 1)), ((1, 1, 0), (1, 1, 7)), ((3, 0, 0), (3, 1, 1))]
SMALL = {"block": "forwarding", "x": 4, "y": 2, "entries": 32}
PLAIN = {"block": "forwarding", "x": 4, "y": 2, "kind": "direct"}


@cache
def around():
    """Up*/down* tables of 4 x 2 x 8 without some links."""
    return compile_fabric(fabric_of_dsn(DSN, BROKEN), absent=ANY).by_switch


def ternary_writes(table):
    return [[place, 1, e.value, e.length, e.action] for place, e in enumerate(table.entries)]


def direct_writes(table):
    answers = [table.lookup(key) for key in range(1 << table.width)]
    return [[key, int(action is not None), action or 0] for key, action in enumerate(answers)]


def told(tables, writes):
    return [{"node": list(node), "writes": writes(table)} for node, table in tables.items()]


def holes(table, rng):
    """The table with some entries gone: misses."""
    from dsnswitch.gen.table.entries import Table

    entries = tuple(entry for entry in table.entries if entry.length and rng.random() < 0.6)
    return Table(table.name, table.width, table.actions, entries)


def some_nodes(count=24):
    rng = random.Random(4)
    return {node: holes(around()[node], rng) for node in rng.sample(list(nodes(DSN)), count)}


def test_forwarding_with_a_ternary_table(lab):
    assert lab.bench("forwarding_bench", SMALL, nodes=told(some_nodes(), ternary_writes)) == 2


def ways(lab, values):
    links = [list(map(list, link)) for link in BROKEN]
    nodes_told = told(around(), ternary_writes)
    tests = ["ways_round_dead_links"]
    return lab.bench("forwarding_bench", values, tests, "-ways", nodes=nodes_told, links_down=links, walks=80)


def test_ways_round_dead_links(lab):
    """Every table of the broken network fits 32 places; packets fall back where a link is dead, and arrive."""
    assert ways(lab, SMALL) == 1


@pytest.mark.regress
def test_ways_round_dead_links_in_two_stages(lab):
    assert ways(lab, SMALL | {"stages": 2}) == 1


@pytest.mark.regress
def test_forwarding_with_a_direct_table(lab):
    assert lab.bench("forwarding_bench", PLAIN, nodes=told(some_nodes(8), direct_writes)) == 2


@pytest.mark.parametrize("words", [200])
def test_direct_table(lab, words):
    assert lab.bench("direct_bench", {"block": "table-direct", "words": words, "action": 4}) == 1


WRAPPER = """
module with_image({ports});
{declarations}
  table_direct_512_4 #(.IMAGE("{image}")) inner ({connections});
endmodule
"""


def test_image_loads_into_the_direct_table(lab, tmp_path):
    """An image of ``dsnswitch table --format mem --kind direct``, by the emitted module's parameter IMAGE."""
    manifest, paths = lab.emit({"block": "table-direct", "words": 512, "action": 4})
    table = compile_node(grid(8, 8), (3, 5, 7))
    image = tmp_path / "table.mem"
    image.write_text(direct_image(table))
    names = [port["name"] for port in manifest["ports"]]
    wrapper = WRAPPER.format(
        ports=", ".join(names),
        declarations="".join(f"  {p['direction']} [{p['width'] - 1}:0] {p['name']};\n" for p in manifest["ports"]),
        image=image,
        connections=", ".join(f".{name}({name})" for name in names),
    )
    source = tmp_path / "both.v"
    source.write_text(paths["verilog"].read_text() + wrapper)
    words = {key: action for key in range(512) if (action := table.lookup(key)) is not None}
    assert len(words) == 512
    parameters = {"manifest": str(paths["manifest"].resolve()), "words": words}
    folder = lab.folder / f"direct-image{lab.worker}"
    assert run_bench("direct_bench", source, "with_image", folder, parameters) == 1
    image.write_text(direct_image(compile_node(grid(8, 8), (3, 5, 6))))
    with pytest.raises(SimulationError, match="failed"):
        run_bench("direct_bench", source, "with_image", folder, parameters)


LOADER = """
`timescale 1ns/1ns
module bench;
  reg clk = 0, rst = 1, write = 0;
  reg [8:0] key = 0;
  reg [17:0] image [0:15];
  integer place;
  wire [3:0] action;
  wire hit;
  table_ternary_16x9_4 dut (.clk(clk), .rst(rst), .key(key), .action(action), .hit(hit), .write(write),
    .write_place(place[3:0]), .write_valid(image[place][17]), .write_length(image[place][16:13]),
    .write_value(image[place][12:4]), .write_action(image[place][3:0]));
  always #5 clk = ~clk;
  initial begin
    $readmemh("table.mem", image);
    place = 0;
    @(negedge clk) @(negedge clk) rst = 0; write = 1;
    for (place = 0; place < 15; place = place + 1) @(negedge clk);
    @(negedge clk) write = 0;
    for (place = 0; place < 512; place = place + 1) begin key = place; #1 $display("%0d %0d", hit, action); end
    $finish;
  end
endmodule
"""


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus is not installed")
def test_image_loads_into_the_ternary_table(lab, tmp_path):
    """An image for the write port, read by ``$readmemh`` in a bench without Python, answers every key."""
    _, paths = lab.emit({"block": "table-ternary", "entries": 16, "key": 9, "action": 4})
    table = compile_node(grid(8, 8), (3, 5, 7))
    (tmp_path / "table.mem").write_text(ternary_image(table, 16))
    (tmp_path / "bench.v").write_text(LOADER)
    command = ["iverilog", "-g2005", "-s", "bench", "-o", "bench", "bench.v", str(paths["verilog"].resolve())]
    subprocess.run(command, check=True, cwd=tmp_path)
    done = subprocess.run(["vvp", "bench"], check=True, cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.count(" ") == 1 and line.replace(" ", "").isdecimal()]
    assert lines == [f"1 {table.lookup(key)}" for key in range(512)]


@pytest.mark.parametrize("keys", ["absolute", "relative", "folded"])
@pytest.mark.parametrize(
    "dsn", [grid(8, 4), grid(5, 3, Coc(3, 2)), ring(7, 3), grid(4, 6, directions="forward"), ring(2, 1)], ids=str
)
def test_keys(simulate, dsn, keys):
    """The hardware's keys are the compiler's, for every pair of supernodes."""
    unit = TableKey(dsn, keys)

    async def every_pair(ctx):
        for own in nodes(dsn):
            for dst in nodes(dsn) if own[-1] == 0 else ():
                for prefix, node in (("own", own), ("dst", dst)):
                    for name, value in zip((*dsn.dimensions, "id"), node):
                        if hasattr(unit, f"{prefix}_{name}"):
                            ctx.set(getattr(unit, f"{prefix}_{name}"), value)
                assert ctx.get(unit.key) == key_of(dsn, keys, own, dst), (own, dst)

    simulate(unit, every_pair)


def selector(alive, automatic):
    """A selector that looks at dead ports of the table, or of the algorithm, or not."""

    def elaborate(self, platform):
        m = Module()
        hot = Mux(self.hit, 1 << self.action, 0)[: self._ports]
        here = self.hit & (self.action == self._ports)
        fallen = (self.route_port & self.dead).any() if automatic else 0
        living = hot & ~self.dead if alive else hot
        m.d.comb += [
            self.by_table.eq(self.mode | self.packet_table | fallen),
            self.out_port.eq(Mux(self.by_table, living, self.route_port)),
            self.arrived.eq(Mux(self.by_table, here, self.route_arrived)),
            self.invalid.eq(~self.by_table & self.route_invalid),
            self.no_route.eq(self.by_table & ~(living.any() | here)),
        ]
        return m

    return elaborate


@pytest.mark.regress
@pytest.mark.parametrize(
    "mutant", [selector(False, True), selector(True, False)], ids=["table-to-a-dead-port", "never-falls-back"]
)
def test_broken_selector_is_noticed(lab, monkeypatch, request, mutant):
    monkeypatch.setattr(RouteSelector, "elaborate", mutant)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench(
            "forwarding_bench", PLAIN, label=f"-{request.node.callspec.id}", nodes=told(some_nodes(8), direct_writes)
        )


@pytest.mark.regress
def test_whole_selector_written_again_passes(lab, monkeypatch):
    """The mutants without their faults pass: it is the fault that fails them."""
    monkeypatch.setattr(RouteSelector, "elaborate", selector(True, True))
    assert lab.bench("forwarding_bench", PLAIN, label="-whole", nodes=told(some_nodes(8), direct_writes)) == 2


@pytest.mark.parametrize(
    ("component", "arguments", "message"),
    [
        (DirectTable, (1, 4), "Direct table words must be in 2..65536, not 1"),
        (DirectTable, (4, 0), "Direct table action width must be in 1..64, not 0"),
        (RouteSelector, (0,), "Selector ports must be in 1..256, not 0"),
        (TableKey, (DSN, "near"), "Keys must be one of absolute, relative, folded, not 'near'"),
    ],
)
def test_parameters(quiet, component, arguments, message):
    with pytest.raises(ValueError, match=message):
        quiet(component)(*arguments)


def test_kind_of_table(quiet):
    with pytest.raises(ValueError, match="Kind of table must be one of ternary, direct, not 'none'"):
        quiet(Forwarding)(DSN, kind="none")
