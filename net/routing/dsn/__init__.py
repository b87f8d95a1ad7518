"""The base routing of a DSN."""
