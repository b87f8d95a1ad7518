"""The version, from the installed package's metadata."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("dsnswitch")
