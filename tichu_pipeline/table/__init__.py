"""Games with a person in the terminal."""
