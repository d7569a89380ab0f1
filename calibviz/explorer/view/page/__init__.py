"""The links of a view to the page around it: one message a step, signs of work, stops, stills and files."""
