"""Segments of the samples, and how sure it is that one of them is off."""
