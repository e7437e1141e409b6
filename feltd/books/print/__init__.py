"""A rulebook as a document that a regulator reads: tables, clauses, diagrams."""
