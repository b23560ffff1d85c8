"""The graph representation, its printer and its passes."""
