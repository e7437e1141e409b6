"""A betting round as arithmetic: amounts owed and actions allowed."""
