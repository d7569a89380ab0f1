"""The widgets that a person sees and touches: panels, controls, marks, tables, theme."""
