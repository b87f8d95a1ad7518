"""Cases of which `make test` takes a few, and `make regress` the others."""

import pytest


def some(names, *quick):
    """``names`` as parameters; all but those in ``quick`` are for `make regress`."""
    assert set(quick) <= set(names)
    return [name if name in quick else pytest.param(name, marks=pytest.mark.regress) for name in names]
