"""The generator: configuration of blocks, their files, registers and test vectors, and the command line."""
