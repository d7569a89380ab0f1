"""What takes a while to measure, as generators for `Jobs`: each yields (fraction done, what there is so far)."""
