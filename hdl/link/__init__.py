"""Links: a PCS and an error-correcting code put together."""

from .light import CODE, LightLink, LightLinkRx, LightLinkTx

__all__ = ["CODE", "LightLink", "LightLinkRx", "LightLinkTx"]
