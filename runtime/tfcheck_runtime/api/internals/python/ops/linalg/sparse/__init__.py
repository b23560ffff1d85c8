"""`tensorflow.python.ops.linalg.sparse`, as far as libraries use it."""
