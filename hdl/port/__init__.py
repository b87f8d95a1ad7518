"""The fabric link: joins ports of switch cores by lines with error correction, credits and a start that checks the cable."""
