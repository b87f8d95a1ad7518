"""64b/66b (IEEE 802.3 Clause 49, and 82 for one lane): one MII word per block of 66 bits."""
