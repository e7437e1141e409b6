"""What comes in and what goes out, by subject: events, and outputs. Fields are only added."""
