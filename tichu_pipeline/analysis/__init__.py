"""The database for SQL users, and the questions that it answers."""
