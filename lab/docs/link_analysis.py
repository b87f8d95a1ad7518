"""Generated parts of the page about the analysis of a link."""

from dsnswitch.lab.docs.markdown import paragraph, table

__all__ = ["PARTS"]

#: Rows of the table: what is assumed about wrong bits -> name of the row.
_ROWS = {
    "independent": "Eq. 5.1, independent wrong bits",
    "flags ignored": "as built, flags ignored",
    "flagged frames dropped": "as built, flagged frames dropped",
}

#: Columns of the table: format -> significant digits. A value with one digit is sampled.
_FORMATS = {"66b": 3, "257b": 3, "260b": 3, "260b, flags counted": 3, "260b, literal": 1, "260b, protected": 1}


def mttfpa(store):
    """The table of the mean time to false packet acceptance at a post-FEC BER of 1e-9."""
    years = store.value("link-mttfpa")["years"][0]
    body = [
        [name, *(_short(years[assumed][pcs], digits) for pcs, digits in _FORMATS.items())]
        for assumed, name in _ROWS.items()
    ]
    return table(["years", *_FORMATS], body)


def age(store):
    """The MTTFPA of 256b/260b at two post-FEC BERs compared with the age of the universe."""
    found = store.value("link-mttfpa")
    coarse, fine = (
        " and ".join(_short(years[assumed]["260b"], 2) for assumed in list(_ROWS)[1:]) for years in found["years"]
    )
    return paragraph(
        f"With the code as built and a post-FEC BER of 1e-9, the MTTFPA of 256b/260b is {coarse} years: the first if flags are "
        f"ignored, the second if flagged frames are dropped. At 1e-12 (`--ber {_short(found['before'][1], 4)}`) it is {fine} "
        f"years. The universe is {_short(found['universe'], 2)} years old."
    )


def _short(number, digits):
    """A number with few digits, as text without a plus or a leading zero in the exponent."""
    return f"{number:.{digits}g}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-")


PARTS = {"mttfpa": mttfpa, "age": age}
