"""Failed links at random: how many pairs the detours of a DSN deliver, and over how many hops. Used by ``dsnswitch faults``."""
