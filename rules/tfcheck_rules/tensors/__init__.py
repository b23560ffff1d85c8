"""TFC6xx: graph tensors used where Python needs a value."""
