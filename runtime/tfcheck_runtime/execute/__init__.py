"""Runs lowered graphs with onnxruntime, and host operations between them."""

import os

# Before onnxruntime is loaded: it would send usage data, from a thread that a forked child does not
# have and waits for when it exits.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
