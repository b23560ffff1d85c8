"""As `tensorflow.python.ops`."""
