"""Views of the table, from its state alone."""
