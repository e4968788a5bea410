"""Decisions of one control tick."""
