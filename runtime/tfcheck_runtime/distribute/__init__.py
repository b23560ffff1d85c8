"""Distribution over the one device there is."""
