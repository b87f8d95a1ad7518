"""256b/260b (D 5.1.2, Fig. 5.2): four MII words in a block of 260 bits, in two formats, *protected* and *literal*."""
