"""Links: a PCS and an error-correcting code put together."""

from .gearbox import Gearbox
from .light import CODE, LightLink, LightLinkRx, LightLinkTx
from .selected import SelectedLink, SelectedLinkTx
from .selected_rx import SelectedLinkRx
from .strict import StrictLink, StrictLinkRx, StrictLinkTx

__all__ = [
    "CODE",
    "Gearbox",
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
