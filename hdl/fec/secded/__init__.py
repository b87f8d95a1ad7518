"""SECDED codes with odd-weight columns (Hsiao codes): (270,260), (72,64), (39,32) and every other size that exists."""
