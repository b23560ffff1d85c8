"""TFC2xx: Python values frozen while tracing."""
