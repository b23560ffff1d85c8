"""`tf.train`: saving and restoring the state of objects."""
