"""Binnings: of scores, of cells of several outcomes, and the k-d tree."""
