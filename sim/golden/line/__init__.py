"""Model of the fabric link."""
