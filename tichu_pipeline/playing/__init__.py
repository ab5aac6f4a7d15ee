"""A person at the table: what is asked and shown in a terminal. The game itself is the arena's, as for all players."""
