"""TFC1xx: what traces a function again and again."""
