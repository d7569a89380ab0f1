"""What panels show, computed when it is asked for."""
