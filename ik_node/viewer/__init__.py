"""The browser view."""
