"""Table images of ``dsnswitch table --format mem`` can be loaded into the emitted Verilog."""

import shutil
import subprocess

import pytest

from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.files import direct_image, ternary_image
from dsnswitch.net.tables.formulas import compile_node
from dsnswitch.net.topology.dsn import grid
from dsnswitch.sim.run import SimulationError, run_bench

WRAPPER = """
module with_image({ports});
{declarations}
  {top} #(.IMAGE("{image}")) inner ({connections});
endmodule
"""


def with_image(lab, folder, words, image):
    """A direct table of ``words`` words that loads the file ``image``: the path of its Verilog, and that of its manifest."""
    manifest, paths = lab.emit({"block": "table-direct", "words": words, "action": 4})
    names = [port["name"] for port in manifest["ports"]]
    wrapper = WRAPPER.format(
        ports=", ".join(names),
        declarations="".join(f"  {p['direction']} [{p['width'] - 1}:0] {p['name']};\n" for p in manifest["ports"]),
        top=paths["verilog"].stem,
        image=image,
        connections=", ".join(f".{name}({name})" for name in names),
    )
    source = folder / "both.v"
    source.write_text(paths["verilog"].read_text() + wrapper)
    return source, str(paths["manifest"].resolve())


@pytest.mark.parametrize("words", [7, 9])
def test_image_has_the_words_of_the_direct_table(lab, tmp_path, words):
    """A table with keys 0 to 6: the simulator stops if the image has more words than the RAM."""
    table = Table("t", 4, ("a", "b", "c"), (Entry(0, 2, 1), Entry(4, 3, 2), Entry(6, 4, 0)))
    image = tmp_path / "table.mem"
    source, manifest = with_image(lab, tmp_path, words, image)
    parameters = {"manifest": manifest, "words": {key: table.lookup(key) for key in range(7)}}
    folder = lab.folder / f"direct-words{words}{lab.worker}"
    image.write_text(direct_image(table, words, 4))
    assert run_bench("table_bench", source, "with_image", folder, parameters) == 3
    image.write_text(direct_image(table, words + 1, 4))
    with pytest.raises(SimulationError):
        run_bench("table_bench", source, "with_image", folder, parameters)


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus is not installed")
def test_icarus_loads_the_image_without_a_warning(lab, tmp_path):
    table = Table("t", 3, ("a", "b", "c"), (Entry(0, 1, 1), Entry(4, 2, 2), Entry(6, 3, 0)))
    (tmp_path / "table.mem").write_text(direct_image(table, bits=4))
    source, _ = with_image(lab, tmp_path, 7, "table.mem")
    subprocess.run(["iverilog", "-g2012", "-Wall", "-s", "with_image", "-o", "bench", source], check=True, cwd=tmp_path)
    done = subprocess.run(["vvp", "bench"], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_image_loads_into_the_direct_table(lab, tmp_path):
    """An image of ``dsnswitch table --format mem --kind direct`` is loaded by the parameter IMAGE of the emitted module."""
    table = compile_node(grid(8, 8), (3, 5, 7))
    image = tmp_path / "table.mem"
    image.write_text(direct_image(table))
    source, manifest = with_image(lab, tmp_path, 512, image)
    words = {key: action for key in range(512) if (action := table.lookup(key)) is not None}
    assert len(words) == 512
    parameters = {"manifest": manifest, "words": words}
    folder = lab.folder / f"direct-image{lab.worker}"
    assert run_bench("table_bench", source, "with_image", folder, parameters) == 3
    image.write_text(direct_image(compile_node(grid(8, 8), (3, 5, 6))))
    with pytest.raises(SimulationError, match="failed"):
        run_bench("table_bench", source, "with_image", folder, parameters)


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
    """A bench without Python reads an image with ``$readmemh``, writes it to the write port, and looks up every key."""
    _, paths = lab.emit({"block": "table-ternary", "entries": 16, "key": 9, "action": 4})
    table = compile_node(grid(8, 8), (3, 5, 7))
    (tmp_path / "table.mem").write_text(ternary_image(table, 16))
    (tmp_path / "bench.v").write_text(LOADER)
    command = ["iverilog", "-g2012", "-s", "bench", "-o", "bench", "bench.v", str(paths["verilog"].resolve())]
    subprocess.run(command, check=True, cwd=tmp_path)
    done = subprocess.run(["vvp", "bench"], check=True, cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.count(" ") == 1 and line.replace(" ", "").isdecimal()]
    assert lines == [f"1 {table.lookup(key)}" for key in range(512)]
