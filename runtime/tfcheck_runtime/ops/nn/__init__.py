"""Activations, losses, normalisation, convolution and pooling."""
