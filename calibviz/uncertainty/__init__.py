"""The uncertainty of errors: bootstrap, consistency, intervals, noise floors, sensitivity and drift."""
