"""Ragged tensors: rows of different lengths, made of flat values and where rows end."""
