"""What stays in sight above the panels: the subject, the evidence, the steps and the kept states."""
