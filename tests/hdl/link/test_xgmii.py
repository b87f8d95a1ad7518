"""An XGMII model of another project sends and receives through 64b/66b and through the light link.

cocotbext-eth has sources and sinks of frames at XGMII and does not contain 64b/66b. It knows words and their legal order, idles,
ordered sets and check sequences. Only the golden model reads the blocks on the line.
"""


def test_frames_through_64b66b(lab, tmp_path):
    blocks = str(tmp_path / "blocks.json")
    assert lab.bench("xgmii_bench", {"block": "pcs66-tx"}, ["sends"], blocks=blocks) == 1
    assert lab.bench("xgmii_bench", {"block": "pcs66-rx"}, ["receives"], blocks=blocks) == 1


def test_frames_through_the_light_link(lab):
    assert lab.bench("xgmii_bench", {"block": "light-link"}, ["crosses"]) == 1
