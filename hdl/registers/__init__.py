"""Registers that software reads and writes: their description in plain Python, and the gateware that follows from it."""

from .apb import Apb, ApbTarget
from .description import ACCESSES, WORD, Field, Group, Register, RegisterMap
from .register_file import RegisterFile, access_signature

__all__ = [
    "ACCESSES",
    "WORD",
    "Apb",
    "ApbTarget",
    "Field",
    "Group",
    "Register",
    "RegisterFile",
    "RegisterMap",
    "access_signature",
]
