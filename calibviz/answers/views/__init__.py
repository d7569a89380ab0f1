"""Answers of the other views, a module each."""
