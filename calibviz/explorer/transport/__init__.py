"""One message for the changes of all widgets."""
