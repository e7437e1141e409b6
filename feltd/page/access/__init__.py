"""Who may see and do what: accounts and roles, passwords, sessions, and what slows a guesser down."""
