"""Images: resizing, cropping, flipping, colours, adjustments, quality measures."""
