"""The names as TensorFlow spells them: re-exports only."""
