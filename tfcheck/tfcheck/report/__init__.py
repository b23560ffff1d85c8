"""Renderers: model in, string out."""
