"""The runtime in C++ as a library: its functions, and the structures that it shares with Python."""

import ctypes
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dsnswitch.net.cache import content_key, keep, kept
from dsnswitch.sim.network.compile.compiler import build, compiler, features

__all__ = ["BINS", "CAUSES", "HOPS", "Config", "Counts", "Error", "NetworkCounts", "Traffic", "functions"]

#: Why packets are lost, in the order of the runtime.
CAUSES = ("link", "no_route", "expired", "u_turn", "undeliverable")

#: Lengths of histograms: of latencies and of hops.
BINS, HOPS = 4096, 256

_POINTER, _INT, _U64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint64


def _fields(kind, names):
    return [(name, kind) for name in names.split()]


class Config(ctypes.Structure):
    """What is known before the start."""

    _fields_ = (
        _fields(_POINTER, "step rows")
        + _fields(_INT, "words ports hosts channels depth flit header longest flops events points switches")
        + _fields(_INT, "source_shift source_bits threads destination_shift layer_shift layer_bits latency wires link_channels")
        + _fields(_INT, "undeliverable_bit age_shift age_bits virtual_networks")
        + _fields(
            _POINTER,
            "network_first "
            "outs ins channels_of most host_credits rx_valid rx_flit rx_credit tx_valid tx_flit tx_credit event_rows leaves",
        )
        + _fields(_POINTER, "event_port event_cause")
        + _fields(
            _POINTER,
            "from_copy from_port delay point_of host_of source destination length hop layer undeliverable age virtual_network",
        )
    )


class Traffic(ctypes.Structure):
    """The traffic of a point."""

    _fields_ = (
        _fields(_INT, "base lengths cdf_rows ordered log lossy")
        + _fields(_U64, "seed")
        + _fields(_POINTER, "load table cdf length_cdf length_of")
        + _fields(ctypes.c_double, "on off")
        + _fields(_POINTER, "trace trace_first data layers")
        + _fields(ctypes.c_double, "errors")
        + _fields(_POINTER, "shares blocked")
        + _fields(_INT, "outstanding reply_queue reply_delay")
    )


class Counts(ctypes.Structure):
    """What a point has done."""

    _fields_ = (
        _fields(_U64, "offered_packets offered_flits injected_packets injected_flits delivered_packets delivered_flits")
        + _fields(_U64, "measured missing in_flight queued last_move fill_samples longest_wait marked lost_flits")
        + [
            ("lost", _U64 * len(CAUSES)),
            ("sums", _U64 * 4),
            ("greatest", _U64 * 4),
            ("histogram", _U64 * BINS * 4),
            ("hops", _U64 * HOPS),
        ]
    )


class NetworkCounts(ctypes.Structure):
    """What the packets of a virtual network have done."""

    _fields_ = (
        *_fields(_U64, "offered_packets offered_flits delivered_packets delivered_flits measured"),
        ("sums", _U64 * 4),
        ("greatest", _U64 * 4),
        ("histogram", _U64 * BINS * 4),
    )


class Error(ctypes.Structure):
    """The first violation."""

    _fields_ = _fields(_INT, "kind copy port channel") + _fields(_U64, "cycle source destination number")


_FUNCTIONS = {
    "sim_new": (_POINTER, (_POINTER, _POINTER)),
    "sim_delete": (None, (_POINTER,)),
    "sim_withdraw": (None, (_POINTER, _INT)),
    "sim_load": (None, (_POINTER, _INT, _POINTER, _INT)),
    "sim_begin": (None, (_POINTER,)),
    "sim_measure": (None, (_POINTER, _INT, _INT)),
    "sim_run": (_INT, (_POINTER, _U64)),
    "sim_cycle": (_U64, (_POINTER,)),
    "sim_error": (None, (_POINTER, _POINTER)),
    "sim_counts": (None, (_POINTER, _INT, *[_POINTER] * 5)),
    "sim_networks": (None, (_POINTER, _INT, _POINTER)),
    "sim_replies": (None, (_POINTER, _INT, _POINTER)),
    "sim_records": (_U64, (_POINTER, _INT, _POINTER)),
    "sim_idle": (_INT, (_POINTER, _POINTER)),
}


@cache
def functions(isa: str, watch: Callable[[str], object] = lambda stage: None) -> ctypes.CDLL:
    """The library of the runtime for a form of the code; compiled unless it is in the cache."""
    source, headers = Path(__file__).with_name("runtime.cpp"), sorted(Path(__file__).parent.glob("*.hpp"))
    machine = f"{platform.machine()} {sorted(features())} {isa} {compiler()}"
    name = f"runtime-{content_key(source, *headers, text=machine)}.so"
    path = kept(name)
    if not path:
        watch("compiling")
        text = source.read_text(encoding="utf-8")
        options = ("-O2", "-fno-strict-aliasing", "-Wno-psabi", f"-I{source.parent}")
        path = keep(name, lambda path: build([text], path, isa, options))
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
