"""What a view shares with the page around it: one message a step, signs of work, stops, stills and files."""
