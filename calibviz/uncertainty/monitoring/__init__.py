"""Errors as time goes on: in windows, and as samples come in."""
