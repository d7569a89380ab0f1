"""What a metric is to cubes, ranks, the Explorer and reports: its record, the registry, and metrics of the user."""
