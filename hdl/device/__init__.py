"""The switch: a core with a fabric port on each port to another switch, and host ports, in one top."""

from .ejector import Ejector
from .host_beat import HOST_INTERFACES, beat_layout, check_host_interface, user_layout
from .host_patience import HostPatience
from .host_port import HostPort
from .injector import Injector
from .notice import NOTICE_COUNTERS, NoticeFormat
from .notifier import Notifier
from .register_map import HOST_COUNTERS
from .switch import Switch, port_latency

__all__ = [
    "HOST_COUNTERS",
    "HOST_INTERFACES",
    "NOTICE_COUNTERS",
    "Ejector",
    "HostPatience",
    "HostPort",
    "Injector",
    "NoticeFormat",
    "Notifier",
    "Switch",
    "beat_layout",
    "check_host_interface",
    "port_latency",
    "user_layout",
]
