"""TFC7xx: use of the tf.function API itself."""
