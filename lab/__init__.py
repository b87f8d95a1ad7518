"""The laboratory: everything that measures, draws or documents."""
