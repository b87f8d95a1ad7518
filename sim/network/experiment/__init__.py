"""A user's simulation: its options checked, measurement and saturation, results, text and plots."""
