"""TFC0xx: findings about the check itself."""
