"""Sparse tensors: elements and where they stand; all else is zero."""
