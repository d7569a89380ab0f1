"""What each column is: what it holds says what it cannot be, and its name chooses among what is left."""
