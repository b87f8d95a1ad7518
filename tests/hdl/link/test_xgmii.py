"""A foreign XGMII model sends and receives through 64b/66b and through the light link.

cocotbext-eth has sources and sinks of frames at XGMII and nothing of 64b/66b itself: what it knows of are words, the order in
which they may come, idles, ordered sets, check sequences. The blocks on the line have the golden model as their only reader.
"""


def test_frames_through_64b66b(lab, tmp_path):
    blocks = str(tmp_path / "blocks.json")
    assert lab.bench("xgmii_bench", {"block": "pcs66-tx"}, ["sends"], blocks=blocks) == 1
    assert lab.bench("xgmii_bench", {"block": "pcs66-rx"}, ["receives"], blocks=blocks) == 1


def test_frames_through_the_light_link(lab):
    assert lab.bench("xgmii_bench", {"block": "light-link"}, ["crosses"]) == 1
