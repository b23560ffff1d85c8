"""Linear algebra: products, decompositions, diagonals and norms."""
