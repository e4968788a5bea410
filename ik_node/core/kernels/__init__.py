"""Compiled kernels: plain functions on arrays that numba compiles where it is installed."""
