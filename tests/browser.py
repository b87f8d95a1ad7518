"""Opens a page in a browser, if there is one, and returns what a reader sees."""

import json
import os
import re
import shutil
import subprocess

import pytest

#: Names of browsers that print a page after its scripts have run.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

#: Variable of the environment that makes a missing browser a failure. CI sets it.
NEEDED = "DSNSWITCH_NEEDS_BROWSER"


def read(page, reader, folder, *words):
    """What the script ``reader`` writes into the element ``seen`` of the HTML text ``page``, as JSON.

    ``words`` are further arguments of the browser. The page has no errors and requests nothing. The test is skipped if there is
    no browser, but fails if the environment has :data:`NEEDED`.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        # A green run of CI must mean that a browser opened the pages.
        missing = pytest.fail if os.environ.get(NEEDED) else pytest.skip
        missing("no Chromium or Chrome to open the page")
    head, end, tail = page.rpartition("</body>")
    (folder / "page.html").write_text(head + reader + end + tail)
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    command = [browser, *options, *words, (folder / "page.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    seen = json.loads(found[1].replace("&lt;", "<").replace("&amp;", "&").replace("&gt;", ">"))
    assert (seen["errors"], seen["requests"]) == ([], 0)
    return seen
