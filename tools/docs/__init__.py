"""Generated parts of README and docs: tables and sentences that state measured figures."""
