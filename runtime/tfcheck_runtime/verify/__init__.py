"""Compares what a graph gives in NumPy, in ONNX's reference evaluator and in onnxruntime."""
