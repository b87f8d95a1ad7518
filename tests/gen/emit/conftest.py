"""Fixtures of the tests of what is emitted."""

import json

import pytest
from jsonschema import Draft202012Validator


@pytest.fixture
def manifest_schema(root):
    """Validator of manifests."""
    schema = json.loads((root / "docs" / "manifest.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
