"""TFC3xx: Python side effects that happen only while tracing."""
