"""The static pass inside editors, over the Language Server Protocol."""
