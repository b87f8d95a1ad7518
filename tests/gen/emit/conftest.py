"""Fixtures of the tests of what is emitted."""

import pytest
from jsonschema import Draft202012Validator

from dsnswitch.gen.cli.schemas import schema_of


@pytest.fixture
def manifest_schema(root):
    """Validator of manifests."""
    schema = schema_of("manifest")
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
