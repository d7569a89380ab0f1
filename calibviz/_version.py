"""The version of calibviz: `pyproject.toml` reads it from here, and so does all that tells it."""

__version__ = "0.1.0"
