"""Cartesian control for small Dynamixel arms on a committed elbow branch."""

__version__ = "0.1.0"
