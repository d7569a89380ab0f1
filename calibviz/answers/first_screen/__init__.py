"""Answers of the first screen: the verdict, its picture, and where it is worst."""
