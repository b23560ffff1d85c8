"""Random numbers: Philox draws equal to the last bit of TensorFlow's."""
