"""The pages and the API of cash games' waiting lists: the desk, and the screen for players."""
