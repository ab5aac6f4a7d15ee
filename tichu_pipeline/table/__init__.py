"""A person at the table, in the terminal."""
