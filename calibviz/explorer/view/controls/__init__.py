"""The drawer of settings, and its controls."""
