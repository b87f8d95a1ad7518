"""Error-correcting codes, apart from how the hardware does them."""
