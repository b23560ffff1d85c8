"""Records ops into a graph."""
