"""As `tensorflow.compiler`."""
