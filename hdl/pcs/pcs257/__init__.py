"""256b/257b (IEEE 802.3 Clause 91): transcoding of four 64b/66b blocks to 257 bits and back, and the same for MII words."""
