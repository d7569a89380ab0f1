"""Clinical prediction: calibration in the large, slope, the flexible curve and its indices, and net benefit."""
