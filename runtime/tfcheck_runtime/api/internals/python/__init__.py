"""As `tensorflow.python`."""
