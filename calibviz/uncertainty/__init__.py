"""What noise does to an error: bootstrap, consistency, intervals, noise floors, sensitivity and drift."""
