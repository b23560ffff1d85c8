"""Records ops for reverse-mode differentiation."""
