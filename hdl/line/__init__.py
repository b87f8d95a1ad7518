"""The light link: 256b/260b PCS and the code SECDED(270,260), for low latency."""
