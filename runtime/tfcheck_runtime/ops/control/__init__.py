"""Control flow, host effects and lists of tensors."""
