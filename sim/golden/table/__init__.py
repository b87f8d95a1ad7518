"""Models of routing tables: longest-prefix match and table keys."""
