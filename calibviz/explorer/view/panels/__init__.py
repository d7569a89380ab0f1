"""The panels, and the pictures and tables that they show."""
