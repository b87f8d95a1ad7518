"""The measured figures of the project: ``docs/figures.json``, the set of figures, and the rules by which an entry is stale."""
