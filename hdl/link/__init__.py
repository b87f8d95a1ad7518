"""Links: transmitters and receivers that combine a PCS with forward error correction."""

from .light.link import CODE, LightLink, LightLinkRx, LightLinkTx
from .selected.link import SelectedLink, SelectedLinkRx, SelectedLinkTx
from .strict.link import StrictLink, StrictLinkRx, StrictLinkTx

__all__ = [
    "CODE",
    "LightLink",
    "LightLinkRx",
    "LightLinkTx",
    "SelectedLink",
    "SelectedLinkRx",
    "SelectedLinkTx",
    "StrictLink",
    "StrictLinkRx",
    "StrictLinkTx",
]
