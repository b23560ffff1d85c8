"""`tensorflow.python.trackable`, as far as libraries use it."""
