"""What a line carries: light, strict and selected format, codeword lock, blocks and their rates."""
