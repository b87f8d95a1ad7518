"""Links: transmitters and receivers that combine a PCS with forward error correction."""
