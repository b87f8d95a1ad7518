"""Streams of words: register stage, gearbox, queue, store-and-forward of codewords, units that take turns."""
