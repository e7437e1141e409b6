"""The documentation as a site: the project's Markdown, the printed rulebooks, the API's description."""
