"""Finds what will retrace, freeze, leak or break in `tf.function` code."""

__version__ = "0.1.0"
