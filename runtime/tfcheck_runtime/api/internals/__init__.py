"""What libraries import from inside TensorFlow, under the same paths."""
