"""The page's process: HTTP, API, accounts, sessions, history and metrics."""
