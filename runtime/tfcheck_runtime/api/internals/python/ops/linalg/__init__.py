"""`tensorflow.python.ops.linalg`, as far as libraries use it."""
