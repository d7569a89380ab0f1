"""One message that carries what changed to all widgets."""
