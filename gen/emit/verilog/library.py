"""Modules of a design and their names. Modules with equal RTLIL share one name."""

import re
from dataclasses import dataclass

__all__ = ["ConvertedModule", "Library"]

#: The name of a module in the module that contains it.
_PART = re.compile(r"\\@(\d+)@(?=[ \n])")


@dataclass(frozen=True, eq=False)
class ConvertedModule:
    """The module of a component, which does not depend on the design that contains it.

    Attributes
    ----------
    text : str
        RTLIL, in which ``@`` is the module's name, and ``@0@``, ``@1@`` ... are the names of ``parts``.
    parts : tuple
        ``(name of the instance, its ConvertedModule)`` of each component below.
    stem : str
        The end of the module's name.
    about : str
        Description: the first sentence of the component's docstring.
    image : str or None
        Name of the memory of the module that a user may load from a file (attribute ``image`` of the component).
    """

    text: str
    parts: tuple
    stem: str
    about: str
    image: str | None


class Library:
    """Modules emitted so far, by name."""

    def __init__(self, top):
        self.top = top
        self.modules = {}
        #: Description and loadable memory of each module.
        self.about, self.images = {}, {}
        # Name of each module by its text, in which ``@`` is the name; and by the object.
        self._names, self._known = {}, {}

    def _text(self, module):
        """Text of a module with the names of the modules below it, which are added to the library."""
        names = [self._add(instance, part) for instance, part in module.parts]
        return _PART.sub(lambda match: f"\\{names[int(match[1])]}", module.text)

    def _add(self, instance, module):
        """Add a module, or find the equal one; returns its name."""
        if module not in self._known:
            text = self._text(module)
            if text not in self._names:
                stem = f"{self.top}_{module.stem}"
                names = [stem, f"{stem}_{instance}", *(f"{stem}_{instance}_{count}" for count in range(2, 1000))]
                name = self._names[text] = next(name for name in names if name not in self.modules)
                self.modules[name] = text.replace("@", name, 1)
                self._describe(name, module)
            self._known[module] = self._names[text]
        return self._known[module]

    def _describe(self, name, module):
        self.about[name] = module.about
        if module.image:
            self.images[name] = module.image

    def fill(self, top):
        """Add the top and all modules below it; returns their RTLIL."""
        self._describe(self.top, top)
        return "".join([self._text(top).replace("@", self.top, 1), *(text for _, text in sorted(self.modules.items()))])
