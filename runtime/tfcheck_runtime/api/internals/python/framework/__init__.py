"""`tensorflow.python.framework`, as far as libraries reach into it."""
