"""Data types, shapes and type specifications."""
