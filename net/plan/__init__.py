"""Growth of an installed network: which cables to remove and to add, and the new addresses of the switches."""
