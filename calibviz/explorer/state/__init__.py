"""The choices that a person has made, as plain values."""
