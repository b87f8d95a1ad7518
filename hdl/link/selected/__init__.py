"""The selected link: its format, light or strict, can be changed at run time."""
