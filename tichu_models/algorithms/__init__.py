"""How players learn, for any game: what is learned from are arrays of decisions, whatever was decided."""
