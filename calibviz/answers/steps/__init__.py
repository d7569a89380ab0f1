"""Measurements that take a while, as generators for `Jobs`: each yields (fraction done, what there is so far)."""
