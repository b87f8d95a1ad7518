"""The reason for which Yosys or slang refuses a design, as one line that names the user's files and this program's options."""

import re
from pathlib import Path
from textwrap import shorten

from dsnswitch.net.printing import last_line

#: What is said of a construct that slang does not know, or that stops it.
CONSTRUCT = "slang does not synthesize a construct"

#: Messages that slang has for it.
_INTERNAL = ("Feature unimplemented", "Internal frontend error", "Assert `")

#: Most characters of a source line in a message.
_MOST = 80

#: Expressions in messages, and their replacements.
_WORDS = (
    # Names of the job's own files mean nothing to the user.
    (r"^.*\bparameters\.sv:\d+: ", ""),
    (r"^.*\b(include|library)_\d+/", ""),
    (r" \[--unroll-limit=\]", "; option --unroll-limit raises it"),
    (r"interface port on kept module boundary must be a modport", "an interface port of the top must have a modport"),
    # Options of slang that this program does not have.
    (r"; see yosys-slang issue #\d+", ""),
    (r" \[-W[^\]]*\]", ""),
    (r" *\([^()]*'--[a-z][^()]*\)|[;,] (use|set) (option )?'--[a-z].*", ""),
)


def reason(log, errors, files, status=1) -> str:
    """The first error in the ``log`` and the ``errors`` of a job that read ``files`` and ended with ``status``."""
    found = re.findall(r"^(.*?)ERROR: ?(?:.*ERROR:)?(.*)", log + errors, re.MULTILINE)
    text = "".join(found[0]) if found else last_line(errors)
    if text.startswith(_INTERNAL) or status < 0:
        text = CONSTRUCT
        source = re.search(r"^Source line ([^<].*?:\d+):\d+: *(.*)", log, re.MULTILINE)
        if source:
            text = f"{source[1]}: {text}: {shorten(source[2], _MOST)}"
    for expression, replacement in _WORDS:
        text = re.sub(expression, replacement, text)
    return re.sub(r"^.*\bsource_(\d+)\.sv", lambda match: Path(files[int(match[1])]).name, text)
