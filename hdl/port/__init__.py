"""The fabric port: joins a port of a switch core to a line with error correction, credits, a checked start, retransmission."""
