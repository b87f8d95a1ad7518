"""LEF files: layers with their electrical values, cells with their pins."""

import pytest
from layouts.samples import LEF

from dsnswitch.lab.layout.lef_def import read_lef
from dsnswitch.net.messages import UsageError


def test_layers(process):
    assert [layer.name for layer in process.layers] == ["metal1", "metal2", "metal3"]
    metal1, metal2, _ = process.layers
    assert (metal1.horizontal, metal1.pitch, metal1.offset, metal1.width) == (True, 1000, 500, 300)
    assert not metal2.horizontal
    # A wire of 30 um by 0.3 um: 100 squares of 0.09 ohm; 9 um2 with 0.04 fF each; two edges with 0.1 fF per um.
    assert metal1.wire_resistance(30_000) == pytest.approx(9)
    assert metal1.wire_capacitance(30_000) == pytest.approx((9 * 0.04 + 2 * 30 * 0.1) / 1000)


def test_cells(process):
    assert process.site == (800, 10_000)
    assert set(process.macros) == {"FILL", "INVX1", "DFFPOSX1"}
    inverter = process.macros["INVX1"]
    assert (inverter.width, inverter.height) == (1600, 10_000)
    assert set(inverter.pins) == {"A", "Y"}
    assert inverter.pins["A"].direction == "input"
    assert inverter.pins["Y"].shapes == (("metal1", 1000, 3300, 1400, 6700),)
    assert inverter.pins["Y"].centre == (1200, 5000)
    # The rail and the internal wire.
    assert inverter.others == (("metal1", -200, -300, 1800, 300), ("metal1", 200, 8000, 600, 9000))
    assert process.vias["M2_M1"][1] == ("via", -100, -100, 100, 100)


@pytest.mark.parametrize("missing", ["SITE", "MACRO", "ROUTING"])
def test_file_without_a_part(missing):
    with pytest.raises(UsageError, match="The LEF file has no routing layer, no cell or no site"):
        read_lef(LEF.replace(missing, "OTHER"))
