"""Links: a PCS and an error-correcting code put together."""

from .gearbox import Gearbox
from .light import CODE, LightLink, LightLinkRx, LightLinkTx
from .strict import StrictLink, StrictLinkRx, StrictLinkTx

__all__ = ["CODE", "Gearbox", "LightLink", "LightLinkRx", "LightLinkTx", "StrictLink", "StrictLinkRx", "StrictLinkTx"]
