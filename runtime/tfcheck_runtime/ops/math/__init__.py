"""Elementwise arithmetic, comparisons, logic, special functions, sums over segments."""
