"""Exports of the Explorer: the Python that makes the numbers, or the view, again, and a cube."""
