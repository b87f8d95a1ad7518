"""``dsnswitch schema NAME`` prints every schema; those of the pages' links are among them."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

from dsnswitch.gen.cli.schemas import SCHEMAS


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_valid(run, name):
    status, out, err = run("schema", name)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["$schema"].endswith("2020-12/schema")
    Draft202012Validator.check_schema(found)


def test_an_unknown_name_is_refused(run):
    status, out, err = run("schema", "manifests")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "'manifests' is not one of 'config', 'manifest'" in err


def test_the_page_lists_every_schema(root):
    page = (root / "docs" / "commands.md").read_text()
    assert re.findall(r"^\| `dsnswitch schema (\w+)` \|", page, re.MULTILINE) == [*SCHEMAS]
