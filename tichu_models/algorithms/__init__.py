"""What works for any game: how policies and critics learn from arrays of decisions, and searches of game trees."""
