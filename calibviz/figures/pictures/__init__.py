"""One module for each kind of picture."""
