"""The light link: 256b/260b PCS and SECDED(270,260)."""
