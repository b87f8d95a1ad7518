"""Reed-Solomon codes: RS(528,514), RS(544,514), RS(255,239) and any other."""
