"""Judgement of arriving blocks with and without retransmission: each unit alone, compared with a model in every cycle."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.order import AnyOrder, BlockOrder

from ..compared import compare
from .receiver_models import Any, InOrder

VALUES = {"block": "fabric-port", "topology": "torus:5", "packet": 3, "flit": 64, "depth": 8}
VALUES |= {"virtual_networks": 2, "channels": "dim0=2/1"}


def test_any_block_without_errors_counts(simulate):
    shape = build(VALUES).shape
    compare(simulate, AnyOrder(shape), lambda: Any(shape), 1000)


def test_blocks_count_in_order(simulate):
    shape = build(VALUES | {"retry": True, "round_trip": 24}).shape
    compare(simulate, BlockOrder(shape), lambda: InOrder(shape), 1000, resets=0.003)
