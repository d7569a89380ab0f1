"""The answers to the questions of page and report: no widget, no HTML, no plotting library."""
