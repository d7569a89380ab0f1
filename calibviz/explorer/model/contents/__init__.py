"""What each panel shows of a `Look`: figure records and tables, from pure functions."""
