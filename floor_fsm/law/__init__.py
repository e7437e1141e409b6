"""What the texts say about tournaments over many tables, as data: a file a text, a row a rule, each with its clause."""
