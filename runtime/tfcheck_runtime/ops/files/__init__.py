"""Files, and values as bytes."""
