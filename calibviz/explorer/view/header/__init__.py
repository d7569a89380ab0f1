"""The header, which stays in sight above the panels: subject, evidence, steps and kept states."""
