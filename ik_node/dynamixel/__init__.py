"""The servo bus: bytes in, numbers out."""
