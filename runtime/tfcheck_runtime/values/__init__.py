"""Tensors and variables."""
