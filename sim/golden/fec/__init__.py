"""Models of the error-correcting codes, by other methods than those of the hardware."""
