"""Ops that make, shape, join, index and reduce tensors."""
