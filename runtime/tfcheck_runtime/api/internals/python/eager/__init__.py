"""`tensorflow.python.eager`, as far as libraries use it."""
