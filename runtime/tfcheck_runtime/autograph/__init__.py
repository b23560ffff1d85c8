"""Rewrites Python control flow so that it can depend on tensors."""
