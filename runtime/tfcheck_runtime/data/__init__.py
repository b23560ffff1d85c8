"""`tf.data`: pipelines of eager elements whose functions are traced once."""
