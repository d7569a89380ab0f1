"""How the page of a report is written: HTML, SVG pictures, tables and sections."""
