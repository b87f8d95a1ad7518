"""Commands that work on files of the repository. Outside a checkout they name, in one line, a file that is missing."""

import os

from dsnswitch.net.messages import UsageError


def need_checkout(what, *paths, root="."):
    """Check that ``paths``, which ``what`` (such as "A report") needs, exist in the checkout ``root`` of the repository.

    An installed wheel contains the packages only, so these commands fail outside a checkout.

    Raises
    ------
    UsageError
        If a path does not exist; the message names the first one.
    """
    for path in paths:
        path = os.path.normpath(os.path.join(root, path))
        if not os.path.exists(path):
            raise UsageError(f"{what} needs a checkout of the repository: {path} does not exist")
