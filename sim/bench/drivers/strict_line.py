"""What the benches of the strict and the selected link share: words in groups of four, and symbols made wrong."""

from types import SimpleNamespace

from ...golden.pcs.mii import IDLES

__all__ = ["first_word", "fours", "mii", "rs_code_of", "split", "wrong_symbols"]

_WORD = 160


def first_word(block, bits):
    """Number of the word in which a block of so many bits begins, both counted in their group."""
    return bits * block // _WORD


def fours(words):
    """Groups of four words, idles behind the last."""
    words = words + [IDLES] * (-len(words) % 4)
    return [words[place : place + 4] for place in range(0, len(words), 4)]


def mii(group):
    """Payload of four words: octets of all, then control bits of all."""
    octets = sum(data << 64 * place for place, (data, _) in enumerate(group))
    return octets | sum(control << 8 * place for place, (_, control) in enumerate(group)) << 256


def split(payload):
    """The four words of a payload."""
    return [(payload >> 64 * lane & (1 << 64) - 1, payload >> 256 + 8 * lane & 0xFF) for lane in range(4)]


def rs_code_of(manifest):
    """The code that a manifest states, as the golden model takes it."""
    told = manifest["code"]
    field = SimpleNamespace(m=told["m"], polynomial=told["polynomial"])
    return SimpleNamespace(
        n=told["n"], k=told["k"], parity=told["n"] - told["k"], first_root=told["first_root"], field=field
    )


def wrong_symbols(rng, codeword, places):
    """``{word: error}`` of the line for random wrong bits in these symbols of codeword number ``codeword``."""
    errors = {}
    for place in places:
        word, symbol = divmod(place, 16)
        word += 33 * codeword
        errors[word] = errors.get(word, 0) ^ rng.randrange(1, 1024) << 10 * symbol
    return errors
