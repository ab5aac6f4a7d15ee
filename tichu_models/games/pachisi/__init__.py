"""Games in which pins run round a ring into their goals: MADN (Mensch ärgere Dich nicht) and DOG, on one board."""
