"""The role of each column: its content excludes what it cannot be, and its name chooses among what is left."""
