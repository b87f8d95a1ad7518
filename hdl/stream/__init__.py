"""Streams of words: gearbox; register stage, hold buffer, delay memory, round robin."""
