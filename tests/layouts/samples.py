"""A small process as a LEF file, and small netlists for layouts."""

from dsnswitch.lab.layout.netlist import netlist_of

__all__ = ["LEF", "chain_of", "module"]

#: A process with two metals and three cells, in the syntax of LEF.
LEF = """VERSION 5.4 ;
LAYER poly
  TYPE	MASTERSLICE ;
END poly
LAYER metal1
  TYPE		ROUTING ;
  DIRECTION	HORIZONTAL ;
  PITCH		1  ;
  OFFSET	0.5 ;
  WIDTH		0.3 ;
  RESISTANCE	RPERSQ 0.09 ;
  CAPACITANCE	CPERSQDIST 4e-05 ;
  EDGECAPACITANCE 1e-04 ;
END metal1
LAYER via
  TYPE	CUT ;
END via
LAYER metal2
  TYPE		ROUTING ;
  DIRECTION	VERTICAL ;
  PITCH		0.8  ;
  OFFSET	0.4 ;
  WIDTH		0.3 ;
  RESISTANCE	RPERSQ 0.06 ;
  CAPACITANCE	CPERSQDIST 2e-05 ;
  EDGECAPACITANCE 6e-05 ;
END metal2
LAYER metal3
  TYPE		ROUTING ;
  DIRECTION	HORIZONTAL ;
  PITCH		1  ;
  OFFSET	0.5 ;
  WIDTH		0.3 ;
  RESISTANCE	RPERSQ 0.06 ;
  CAPACITANCE	CPERSQDIST 2e-05 ;
  EDGECAPACITANCE 6e-05 ;
END metal3
VIA M2_M1 DEFAULT
  LAYER metal1 ;
    RECT -0.200 -0.200 0.200 0.200 ;
  LAYER via ;
    RECT -0.100 -0.100 0.100 0.100 ;
  LAYER metal2 ;
    RECT -0.200 -0.200 0.200 0.200 ;
END M2_M1
SITE  core
    CLASS	CORE ;
    SIZE	0.800 BY 10.000 ;
END  core
MACRO FILL
  SIZE 0.800 BY 10.000 ;
END FILL
MACRO INVX1
  SIZE 1.600 BY 10.000 ;
  PIN A
    DIRECTION INPUT ;
    PORT
      LAYER metal1 ;
        RECT 0.200 3.300 0.600 3.700 ;
    END
  END A
  PIN gnd
    DIRECTION INOUT ;
    USE GROUND ;
    PORT
      LAYER metal1 ;
        RECT -0.200 -0.300 1.800 0.300 ;
    END
  END gnd
  PIN Y
    DIRECTION OUTPUT ;
    PORT
      LAYER metal1 ;
        RECT 1.000 3.300 1.400 6.700 ;
    END
  END Y
  OBS
      LAYER metal1 ;
        RECT 0.200 8.000 0.600 9.000 ;
  END
END INVX1
MACRO DFFPOSX1
  SIZE 3.200 BY 10.000 ;
  PIN D
    DIRECTION INPUT ;
    PORT
      LAYER metal1 ;
        RECT 0.200 3.300 0.600 3.700 ;
    END
  END D
  PIN CLK
    DIRECTION INPUT ;
    PORT
      LAYER metal1 ;
        RECT 1.000 3.300 1.400 3.700 ;
    END
  END CLK
  PIN Q
    DIRECTION OUTPUT ;
    PORT
      LAYER metal1 ;
        RECT 2.600 3.300 3.000 3.700 ;
    END
  END Q
END DFFPOSX1
END LIBRARY
"""


def module(ports, cells):
    """A netlist as Yosys writes it. ``ports``: ``{name: (direction, bits)}``, ``cells``: ``{name: (kind, {pin: bit})}``."""
    return {
        "modules": {
            "top": {
                "ports": {name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()},
                "cells": {
                    name: {"type": kind, "connections": {pin: [bit] for pin, bit in pins.items()}}
                    for name, (kind, pins) in cells.items()
                },
            }
        }
    }


def chain_of(count):
    """A chain of inverters from ``a`` to ``y``."""
    cells = {f"inv.{index}": ("INVX1", {"A": 2 + index, "Y": 3 + index}) for index in range(count)}
    return netlist_of(module({"a": ("input", [2]), "y": ("output", [2 + count])}, cells), "top")
