"""`tensorflow.python.ops.ragged`, as far as libraries reach into it."""
