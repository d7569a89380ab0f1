"""What a person sees and touches: panels, controls, marks, tables, theme."""
