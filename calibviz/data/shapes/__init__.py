"""Shapes of records: as tools write them, and as they are where no tool is known."""
