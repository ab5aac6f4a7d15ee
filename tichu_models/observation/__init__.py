"""What a seat sees of a round, and the vectors made of it."""
