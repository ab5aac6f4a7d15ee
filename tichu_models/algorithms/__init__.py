"""How policies and critics learn, for any game: from arrays of decisions, their answers and their results."""
