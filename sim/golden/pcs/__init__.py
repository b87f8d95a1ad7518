"""Models of the PCS in plain integers, bit by bit, by the standard's tables and figures. They share no code with ``hdl``."""
