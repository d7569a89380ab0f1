"""The choices of a view: their names, their checks and the objects that they stand for."""
