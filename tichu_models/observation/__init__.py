"""What a seat sees of a round, and the vectors that networks read of it."""
