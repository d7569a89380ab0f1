"""The commands of a terminal, and the server of their page."""
