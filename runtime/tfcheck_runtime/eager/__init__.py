"""Runs ops at once on NumPy arrays."""
