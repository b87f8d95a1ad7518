"""Common parts of the benches of the strict and the selected link: groups of four words, and wrong symbols."""

from types import SimpleNamespace

from dsnswitch.sim.golden.pcs.mii import IDLES

_WORD = 160


def first_word(block, bits):
    """Index of the word in which block ``block`` of ``bits`` bits begins, both counted in their group."""
    return bits * block // _WORD


def fours(words):
    """Groups of four words; idles fill the last group."""
    words = words + [IDLES] * (-len(words) % 4)
    return [words[start : start + 4] for start in range(0, len(words), 4)]


def mii(group):
    """Payload of four words: the octets of all words, then the control bits of all words."""
    octets = sum(data << 64 * index for index, (data, _) in enumerate(group))
    return octets | sum(control << 8 * index for index, (_, control) in enumerate(group)) << 256


def split(payload):
    """The four words of a payload."""
    return [(payload >> 64 * index & (1 << 64) - 1, payload >> 256 + 8 * index & 0xFF) for index in range(4)]


def rs_code_of(manifest):
    """The code that a manifest states, as the golden model takes it."""
    code = manifest["code"]
    field = SimpleNamespace(m=code["m"], polynomial=code["polynomial"])
    return SimpleNamespace(
        n=code["n"], k=code["k"], parity=code["n"] - code["k"], first_root=code["first_root"], field=field
    )


def wrong_symbols(rng, codeword, positions):
    """Errors ``{word: error}`` on the line: random wrong bits in the symbols ``positions`` of codeword number ``codeword``."""
    errors = {}
    for position in positions:
        word, symbol = divmod(position, 16)
        word += 33 * codeword
        errors[word] = errors.get(word, 0) ^ rng.randrange(1, 1024) << 10 * symbol
    return errors
