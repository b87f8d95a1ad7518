"""Networks of a universal switch core, cycle by cycle: one bit of a machine word is one switch."""
