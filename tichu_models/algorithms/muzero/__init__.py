"""MuZero for any game: what its networks learn from, and the search in what they imagine."""
