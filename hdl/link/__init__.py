"""Links: a PCS and an error-correcting code put together."""

from .gearbox import Gearbox
from .light import CODE, LightLink, LightLinkRx, LightLinkTx

__all__ = ["CODE", "Gearbox", "LightLink", "LightLinkRx", "LightLinkTx"]
