"""``dsnswitch vectors``: valid by the schema, the same on every run, and correct."""

import json

import pytest
from jsonschema import Draft202012Validator

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.gen.vectors import vectors, wire
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.hdl.fec.secded import code as secded


@pytest.mark.parametrize("name", NAMED)
def test_vectors(root, name):
    text = vectors(name, range(NAMED[name].t + 3), 7)
    assert text == vectors(name, range(NAMED[name].t + 3), 7) != vectors(name, range(NAMED[name].t + 3), 8)
    schema = schema_of("vectors")
    Draft202012Validator.check_schema(schema)
    made = json.loads(text)
    Draft202012Validator(schema).validate(made)
    code = NAMED[name]
    mask = (1 << code.field.m) - 1
    for index, entry in enumerate(made["vectors"]):
        assert len(entry["errors"]) == index % (code.t + 2)
        assert entry["codeword"].startswith(entry["data"][: code.k * code.field.m // 8 * 2])
        flips = sum(error["value"] << code.field.m * error["symbol"] for error in entry["errors"])
        sent, received = (int.from_bytes(bytes.fromhex(entry[key]), "little") for key in ("codeword", "received"))
        assert sent ^ received == flips
        for key in ("data", "codeword", "received"):
            symbols = entry[f"{key}_symbols"]
            assert len(symbols) == (code.k if key == "data" else code.n)
            packed = int.from_bytes(bytes.fromhex(entry[key]), "little")
            assert symbols == [packed >> code.field.m * place & mask for place in range(len(symbols))]
        assert any(entry["syndromes"]) == bool(entry["errors"])
        if len(entry["errors"]) <= code.t:
            assert entry["corrected"] == [error["symbol"] for error in entry["errors"]]
            assert not entry["uncorrectable"]


@pytest.mark.parametrize("name", secded.NAMED)
def test_secded_vectors(root, name):
    """The words by the definition of the code: a syndrome is the sum of the columns of the wrong bits."""
    made = json.loads(vectors(name, range(9), 7))
    Draft202012Validator(schema_of("vectors")).validate(made)
    code, columns = secded.NAMED[name], made["code"]["columns"]
    for index, entry in enumerate(made["vectors"]):
        word = int.from_bytes(bytes.fromhex(entry["received"]), "little")
        assert word < 1 << code.n
        assert int.from_bytes(bytes.fromhex(entry["data"]), "little") == sum(
            bit << place for place, bit in enumerate(entry["codeword_symbols"][: code.k])
        )
        wrong = [error["symbol"] for error in entry["errors"]]
        assert len(wrong) == index % 3
        total = 0
        for place in range(code.n):
            total ^= columns[place] * (word >> place & 1)
        (syndrome,) = entry["syndromes"]
        assert syndrome == total
        for place in wrong:
            total ^= columns[place]
        assert total == 0
        assert entry["corrected"] == (wrong if len(wrong) == 1 else [])
        assert entry["uncorrectable"] is (len(wrong) == 2)


def test_wire_order():
    """Symbols of ten bits, lowest bit first: 3ff then 001 give eight ones; two ones, a one, five zeros; zeros."""
    assert wire([0x3FF, 0x001], 10) == "ff0700"


def test_command(run, tmp_path):
    words = ("vectors", "--code", "rs-7-3", "--count", 3, "--seed", 7)
    _, text, _ = run(*words)
    assert text == vectors("rs-7-3", range(3), 7)
    run(*words, "--out", tmp_path / "v.json")
    assert (tmp_path / "v.json").read_text() == text
