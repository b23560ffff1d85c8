"""`tf.saved_model`: programs saved with their graphs and state.

The folder that is written is described in `docs/saved-models.md`.
"""
