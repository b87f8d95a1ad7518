"""Random failed links: share of pairs that the detours of a DSN deliver, and lengths of paths. Used by ``dsnswitch faults``."""
