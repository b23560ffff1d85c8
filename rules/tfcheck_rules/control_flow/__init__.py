"""TFC5xx: what AutoGraph refuses or does not convert."""
