"""Problems sorted once and sliced for ever: ties, bins, binnings, cells and the k-d tree."""
