"""Graph to ONNX."""
