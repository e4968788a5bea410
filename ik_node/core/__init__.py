"""Mathematics of one arm."""
