"""Chameleon Chess: up to four players, chessmen that change their role with the colour of their field."""
