"""Pictures of the docs that are not plots: block diagrams, layouts of words, the route of a packet."""

from dsnswitch.lab.pictures.blocks import (
    FORWARDING,
    LIGHT_LINK,
    ROUTER,
    STRICT_LINK,
    SWITCH,
    SWITCH_CORE,
    fabric_words,
    words,
)
from dsnswitch.lab.pictures.diagram import diagram

__all__ = ["pictures"]


def pictures():
    """``{file name: SVG text}`` of every picture. Every run returns the same text."""
    return {
        "router-logic.svg": diagram(ROUTER),
        "light-link.svg": diagram(LIGHT_LINK),
        "strict-link.svg": diagram(STRICT_LINK),
        "forwarding.svg": diagram(FORWARDING),
        "switch-core.svg": diagram(SWITCH_CORE),
        "switch.svg": diagram(SWITCH),
        "words.svg": words(),
        "fabric-words.svg": fabric_words(),
    }
