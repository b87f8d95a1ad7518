"""Drivers, monitors and checkers that benches share."""
