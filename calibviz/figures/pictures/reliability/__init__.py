"""The reliability diagram, the curves in it, its words, and the histogram below it."""
