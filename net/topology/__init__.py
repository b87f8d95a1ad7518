"""Networks: the protocol that every topology satisfies, the DSN, DSN-F and the torus. Pure Python, no Amaranth."""
