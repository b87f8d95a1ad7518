"""Defaults of the parameters of blocks: each is stated once, in the schema of the parameter."""

import re

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest, never_elaborated
from dsnswitch.net.messages import UsageError

#: Parameters that must be given, by block. A block that is not here needs none.
NETWORK = {"p": 1}
CODE = {"n": 72, "k": 64}
SYMBOLS = {"n": 15, "k": 11, "field": 4, "polynomial": 0x13}
TABLE = {"entries": 4, "key": 6, "action": 3}
REQUIRED = {
    **dict.fromkeys(["route", "forwarding", "switch-core", "fabric-port", "switch"], NETWORK),
    **dict.fromkeys(["secded", "secded-encoder", "secded-decoder"], CODE),
    **dict.fromkeys(["baseline-secded-encoder", "baseline-secded-decoder"], CODE),
    **dict.fromkeys(["rs-encoder", "rs-decoder"], SYMBOLS),
    **dict.fromkeys(["table-ternary", "baseline-tcam"], TABLE),
    "table-direct": {"words": 16, "action": 3},
    "gearbox": {"from": 66, "to": 64},
    "baseline-torus": {"sizes": "4x4"},
}

#: Parameters of a core with a table, which a core without one does not accept.
OF_A_TABLE = ("kind", "keys", "entries", "stages", "memory")
CORES = ("switch-core", "fabric-port", "switch")

#: Parameters of a core with routing ``ugal``.
OF_UGAL = ("candidates", "penalty", "threshold")

#: Parameters that the manifest omits if they have the default value or do not apply.
OMITTED = {
    ("route", "adaptive"),
    ("route", "digits"),
    ("switch", "delays"),
    *((core, "memory") for core in (*CORES, "forwarding")),
    *(
        (core, key)
        for core in CORES
        for key in ("routing", "adaptive", "digits", "age", "register", "layers", "virtual_networks", "free_weights", *OF_UGAL)
    ),
}

DEFAULTS = [(name, key) for name, block in BLOCKS.items() for key, rule in block.OPTIONS.items() if rule.default is not None]


def given(name, key):
    """Values of a block that has the parameter ``key``, without that parameter."""
    table = {"lookup": "forwarding"} if name in CORES and key in OF_A_TABLE else {}
    several = {"virtual_networks": 2} if key in ("weights", "priorities", "free_weights") else {}
    return {"block": name, **REQUIRED.get(name, {}), **table, **several}


def shown(values):
    """The parameters in the manifest."""
    block = build(values)
    with never_elaborated():
        return manifest(block, block.component(), {})["parameters"]


@pytest.mark.parametrize(("name", "key"), DEFAULTS)
def test_the_manifest_shows_the_default(name, key):
    values, default, parameters = given(name, key), BLOCKS[name].default(key), shown(given(name, key))
    if (name, key) in OMITTED:
        assert key not in parameters
    else:
        assert parameters[key] == default
        assert type(parameters[key]) is type(default)
    assert build(values | {key: default}).name == build(values).name


#: Values of parameters that are texts.
TEXTS = {"node": "0,0,0", "sizes": "8x4", "cuts": "none", "channels": "2", "supernode": "ring-3", "port": "x_forward"}
TEXTS |= {"topology": "torus:2x2", "code": "rs-255-239", "pool": "x=66", "weights": "2/1", "priorities": "0/1"}


#: Values of parameters whose default depends on the block.
OTHERS = {("switch", "speculate"): "off"}


def other(rule, key, values):
    """A value of a parameter that is not its default, nor that of ``values``."""
    if rule.words:
        return next(value for value in reversed(rule.words) if value != rule.default)
    if rule.kind == "flag":
        return not rule.default
    return TEXTS[key] if rule.kind == "text" else values.get(key, rule.low if rule.default is None else rule.default) + 1


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, block in BLOCKS.items() for key in block.OPTIONS])
def test_no_parameter_is_ignored(name, key):
    """A parameter changes the manifest's parameters or is refused."""
    values = given(name, key)
    value = OTHERS.get((name, key)) or other(BLOCKS[name].OPTIONS[key], key, values)
    try:
        changed = build(values | {key: value})
    except UsageError:
        return
    assert changed.parameters != build(values).parameters
    assert changed.name != build(values).name


def test_layers_of_a_core_with_a_table():
    for name in CORES:
        assert shown({"block": name, "topology": "torus:3", "lookup": "table"})["layers"] == 1


@pytest.mark.parametrize(("name", "key"), DEFAULTS)
def test_the_description_states_the_default(name, key):
    one = BLOCKS[name].OPTIONS[key]
    spelling = {True: "on", False: "off"}[one.default] if one.kind == "flag" else str(one.default)
    assert re.search(rf"\. Default {re.escape(spelling)}(, .+)?\.$", one.description)
    assert one.description.lower().count("default") == 1
    assert one.checked(key, one.default) == one.default


def test_a_pool_that_is_one_number():
    """A host port of a switch has no pool: there, the number is for all other ports."""
    core = {"topology": "torus:2x2", "packet": 4, "channels": "2", "pool": "8"}
    shapes = {name: build({"block": name, **core}).parameters["pool"] for name in CORES}
    assert shapes == {"switch-core": "dim0=8,dim1=8,host=8", "fabric-port": "dim0=8,dim1=8", "switch": "dim0=8,dim1=8"}
    with pytest.raises(UsageError, match="Pool of hosts of a switch must be 0, not 8"):
        build({"block": "switch", **core, "pool": "host=8"})


def test_missing_parameters_are_named_at_once():
    """A block says which parameters are missing, all of them, and an example that works; or it takes the dissertation's code."""
    for name, block in BLOCKS.items():
        if "topology" in block.OPTIONS:
            continue
        examples = {key: one.example for key, one in block.OPTIONS.items() if one.example is not None}
        assert build({"block": name, **examples})
        if examples:
            with pytest.raises(UsageError) as refused:
                build({"block": name})
            words = re.split(r"\W+", str(refused.value).partition(";")[0])
            assert examples.keys() <= set(words), name
    assert build({"block": "secded"}).name == "secded_270_260"
    assert build({"block": "rs-encoder"}).name == "rs_encoder_528_514_w16"


def test_every_mandatory_parameter_has_an_example():
    for name, values in REQUIRED.items():
        rules = BLOCKS[name].OPTIONS
        if "topology" not in rules and "code" not in rules:
            assert values.keys() == {key for key in rules if rules[key].example is not None}, name
