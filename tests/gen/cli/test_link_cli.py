"""``dsnswitch link``: its output and files, and one line with status 2 for every wrong input."""

import json
import math
import sys

import pytest

from dsnswitch.lab.codes.codes import CODES, montecarlo_rows
from dsnswitch.lab.codes.mttfpa import PAPER, independent
from dsnswitch.lab.codes.rows import FORMATS, built_formats, framing_rows, mttfpa_rows, write


@pytest.fixture
def run(run):
    """A function that calls ``dsnswitch link``."""
    return lambda *words: run("link", *words)


def test_plot_without_matplotlib(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, err = run("plot", "--folder", str(tmp_path / "out"))
    assert status == 2
    assert err.startswith("dsnswitch: error: A plot needs matplotlib: ")
    assert err.endswith("-m pip install -r requirements/plot.txt\n")
    assert not (tmp_path / "out").exists()


def test_ber(run):
    status, out, _ = run("ber", "--snr", "14.146")
    assert status == 0
    assert out.startswith("BER before correction 1.93e-06, PAM-4 at 14.15 dB\n")
    assert any(line.split() == ["SECDED(270,260)", "1e-09"] for line in out.splitlines())
    rows = {row["code"]: row["after"] for row in json.loads(run("ber", "--ber", "1e-6", "--format", "json")[1])}
    assert rows["none"] == 1e-6
    assert rows["SECDED(270,260)"] == CODES["secded"].after(1e-6) < rows["SECDED(270,260), as built"]


def test_codes_are_what_they_are_called():
    """First terms of D Eq. 5.5 and 5.6, calculated by hand, at rates where they dominate."""
    assert CODES["secded"].after(1e-9) == pytest.approx(269e-18, rel=1e-5, abs=0)
    assert CODES["bch"].after(1e-9) == pytest.approx(math.comb(277, 2) * 1e-27, rel=1e-5, abs=0)
    for name, n, t, m in (("rs255", 255, 8, 8), ("rs528", 528, 7, 10), ("rs544", 544, 15, 10)):
        wanted = 1e-9 * math.comb(n - 1, t) * (m * 1e-9) ** t
        assert CODES[name].after(1e-9) == pytest.approx(wanted, rel=1e-5, abs=0)
        assert CODES[name].n / CODES[name].k == pytest.approx(n / (n - 2 * t))


def test_ber_that_pam_16_has_no_snr_for(run):
    assert run("ber", "--ber", "0.3", "--pam", "16")[1].startswith("BER before correction 0.3\n")


def test_snr(run):
    rows = {row["code"]: row for row in json.loads(run("snr", "--ber", "1e-15", "--pam", "8", "--format", "json")[1])}
    assert rows["none"]["gain"] == pytest.approx(0, abs=1e-9)
    assert rows["RS(528,514)"]["snr"] == pytest.approx(17.396, abs=1e-3)
    assert rows["RS(528,514)"]["gain"] - rows["RS(528,514)"]["net_gain"] == pytest.approx(0.1167, abs=1e-4)
    line = next(line for line in run("snr", "--ber", "1e-9")[1].splitlines() if line.startswith("RS(544,514)"))
    assert line.split() == ["RS(544,514)", "0.000603", "10.95", "5.51", "5.27"]


def test_mttfpa(run):
    _, out, _ = run("mttfpa", "--ber", "1e-9")
    heads = next(line for line in out.splitlines() if line.startswith("code"))
    assert [word for word in heads.split() if word[0] == "2" or word[0] == "6"] == [
        "66b",
        "257b",
        "260b",
        "257b,",
        "260b,",
        "260b,",
        "260b,",
    ]
    none = next(line for line in out.splitlines() if line.startswith("none"))
    assert none.split()[2:5] == ["1.36e+09", "1.36", "5.52e+15"]
    rows = json.loads(run("mttfpa", "--ber", "1e-9", "--format", "json")[1])
    assert len(rows) == 7 * 8
    rows = list(mttfpa_rows(1.928324e-6, FORMATS))
    built = [
        [row["years"] for row in rows if row["assumed"] == assumed] for assumed in ("flags ignored", "flagged frames dropped")
    ]
    assert built[0] == pytest.approx([366, 1.36, 2.99e5, 0.152, 0.171], rel=4e-3, abs=0)
    assert built[1] == pytest.approx([4.67e5, 7.256e3, 5.21e5, 828, 933], rel=2e-3, abs=0)


def test_framing(run):
    """The protected format never passes a block with one or two wrong bits as valid; the literal one passes a tenth with one."""
    out = run("framing", "--patterns", "300")[1]
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [
        [layout, str(wrong)] for layout in ("literal", "protected") for wrong in (1, 2, 3)
    ]
    rows = {(row["format"], row["wrong"]): row for row in framing_rows(300, 2)}
    assert json.loads(run("framing", "--patterns", "300", "--seed", "2", "--format", "json")[1]) == list(rows.values())
    assert [rows["protected", wrong]["valid"] for wrong in (1, 2)] == [0, 0]
    assert rows["protected", 1]["corrected"] == 1
    assert 0.05 < rows["literal", 1]["valid"] < 0.2
    assert all(sum(row[name] for name in ("corrected", "flagged", "valid")) == pytest.approx(1) for row in rows.values())


def test_formats_as_built():
    """p_frame of the protected format is close to D's and grows with BER cubed; that of the literal one is about 3 BER."""
    literal, protected = built_formats().values()
    assert protected(1e-9) == pytest.approx(PAPER["260b"](1e-9), rel=0.8, abs=0)
    assert protected(1e-12) / protected(1e-9) == pytest.approx(1e-9, rel=1e-6, abs=0)
    assert 2e-9 < literal(1e-9) < 5e-9
    # After the code: the share of patterns of three wrong bits in 270 whose bits are all in the framing.
    assert protected.given(270)[3] == pytest.approx(protected.patterns[3] / math.comb(270, 3), rel=1e-9, abs=0)
    assert list(protected.given(270)[:3]) == [0, 0, 0]


def test_formats_are_open():
    """Any function of the BER is a format. Without ``given``, there are no figures for the code as built."""
    rows = {(row["code"], row["assumed"]): row for row in mttfpa_rows(1e-6, {"mine": PAPER["260b"].__call__})}
    assert rows["none", "independent"]["seconds"] == independent(PAPER["260b"], 1e-6)
    assert rows["SECDED(270,260), as built", "flags ignored"]["seconds"] is None
    assert rows["SECDED(270,260), as built", "flags ignored"]["years"] is None


def test_time_beyond_a_float_is_null(run):
    """RS(544,514) at 1e-30: the time exceeds the range of a float."""
    rows = json.loads(run("mttfpa", "--ber", "1e-30", "--format", "json")[1])
    assert any(row["seconds"] is None for row in rows if row["code"] == "RS(544,514)")


def test_simulate(run):
    rows = json.loads(run("simulate", "--words", "2000", "--seed", "4", "--format", "json")[1])
    assert rows == montecarlo_rows(2000, 4)
    assert [row["words"] for row in rows] == [2000] * 5
    for row in rows:
        assert row["after_interval"][0] <= row["after"] <= row["after_interval"][1]
        assert row["unflagged_interval"][0] <= row["unflagged"] / 2000 <= row["unflagged_interval"][1]
    out = run("simulate", "--words", "2000")[1]
    assert [line.split()[0] for line in out.splitlines()] == ["BER", "0.0316", "0.01", "0.00316", "0.001", "0.000316"]
    assert out.splitlines()[0].count("exact") == 3


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("link")
    return folder, write(folder, words=2000)


@pytest.mark.regress
def test_plots_are_the_same_every_time(written, tmp_path):
    folder, names = written
    assert write(tmp_path, words=2000) == names
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    for name in names:
        text = (tmp_path / name).read_text()
        assert text == (folder / name).read_text(), name
        assert not name.endswith(".svg") or text.startswith("<svg")
    assert montecarlo_rows(2000, 1) != montecarlo_rows(2000, 2)


def test_curves_differ_without_colour():
    """No two codes and no two formats have the same dashes or marker, so that a print without colour is readable."""
    plots = pytest.importorskip("dsnswitch.lab.codes.rows")
    assert plots.CURVES.keys() == CODES.keys()
    assert plots.PLOTTED.keys() == (FORMATS | built_formats()).keys()
    for looks in (plots.CURVES, plots.PLOTTED):
        markers = [marker for _, _, marker in looks.values()]
        assert len(set(markers)) == len(markers)
        assert len({(str(dashes), marker) for _, dashes, marker in looks.values()}) == len(looks)


@pytest.mark.regress
def test_plots_have_their_curves_and_units(written):
    folder, _ = written
    for levels in (4, 8):
        text = (folder / f"ber-pam{levels}.svg").read_text()
        for label in (*(fec.name for fec in CODES.values()), "Monte Carlo", "dB", "BER after"):
            assert label in text, label
    for label in ("66b", "257b", "260b", "age of the universe", "years"):
        assert label in (folder / "mttfpa.svg").read_text(), label
    written = json.loads((folder / "link.json").read_text())
    assert written["mttfpa"]["years"]["66b"][0] == pytest.approx(1.36e21, rel=1e-3, abs=0)
    assert written["montecarlo"]["rows"] == montecarlo_rows(2000, 1)
    assert len(written["ber"]["PAM-8"]["snr"]) == len(written["ber"]["PAM-8"]["rs528"])
