"""What can be asked, and what is answered: no widget, no HTML, no plotting library."""
