"""Metrics as cubes, ranks, the Explorer and reports know them: records, their registry, and metrics of the user."""
