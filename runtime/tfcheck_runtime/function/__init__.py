"""tf.function: binds arguments, picks or makes a trace, runs it."""
