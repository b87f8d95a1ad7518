"""DEF files: the input of the router, and the wires in its output."""

import pytest
from layouts.samples import chain_of

from dsnswitch.lab.layout.floorplan import floorplan
from dsnswitch.lab.layout.lef_def import Wire, read_wires, write_def
from dsnswitch.net.messages import UsageError

ROUTED = """DESIGN design ;
NETS 2 ;
- n1
  ( c0 Y )
+ ROUTED metal1 ( 400 3500 ) M2_M1
  NEW metal2 ( 400 3500 ) ( * 9500 ) ( 1200 * ) M3_M2
;
- n2
;
END NETS
SPECIALNETS 1 ;
- n1
+ ROUTED metal1 400 ( 400 3500 ) ( 650 * ) ;
END SPECIALNETS
"""


def test_wires():
    found = read_wires(ROUTED)
    assert found == {
        "n1": [
            Wire("metal1", 400, 3500, 400, 3500, "M2_M1"),
            Wire("metal2", 400, 3500, 400, 9500),
            Wire("metal2", 400, 9500, 1200, 9500),
            Wire("metal2", 1200, 9500, 1200, 9500, "M3_M2"),
            Wire("metal1", 400, 3500, 650, 3500, None, 400),
        ],
        "n2": [],
    }


def test_metal_of_a_wire(process):
    """A wire extends half a width beyond its ends, a wire of a stated width does not, and a via has metal on two layers."""
    assert Wire("metal1", 0, 500, 1600, 500).shapes(process) == [("metal1", -150, 350, 1750, 650)]
    assert Wire("metal2", 400, 9500, 400, 500).shapes(process) == [("metal2", 250, 350, 550, 9650)]
    assert Wire("metal1", 0, 500, 600, 500, None, 400).shapes(process) == [("metal1", 0, 300, 600, 700)]
    via = Wire("metal1", 400, 500, 400, 500, "M2_M1").shapes(process)
    assert via == [("metal1", 200, 300, 600, 700), ("metal2", 200, 300, 600, 700)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DESIGN design ;", "The routed DEF has no nets"),
        (ROUTED.replace("M3_M2", "MASK="), r"The routed DEF has 'MASK=' in a wire"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(UsageError, match=message):
        read_wires(text)


def test_what_the_router_gets(process):
    netlist = chain_of(4)
    plan = floorplan([["c0", "c1"], ["c2", "c3"]], netlist, process, 0.5)
    text = write_def(netlist, process, plan)
    for name, place in plan.cells.items():
        assert f"- {name} INVX1 + PLACED ( {place.x} {place.y} ) {place.orientation} ;" in text
    assert text.count("FILL + PLACED") == len(plan.fillers)
    assert "PINS 2 ;" in text
    assert "- a + NET a + DIRECTION INPUT" in text
    assert "NETS 5 ;" in text
    # Tracks reach both edges, but not beyond.
    assert f"TRACKS X 400 DO {plan.width // 800} STEP 800 LAYER metal2 ;" in text
    assert f"TRACKS Y 500 DO {plan.height // 1000} STEP 1000 LAYER metal3 ;" in text
