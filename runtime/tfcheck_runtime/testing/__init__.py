"""What test suites written for TensorFlow use."""
