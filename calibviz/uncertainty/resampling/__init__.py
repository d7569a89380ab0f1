"""Draws: of samples again, and of labels that calibrated scores would have."""
