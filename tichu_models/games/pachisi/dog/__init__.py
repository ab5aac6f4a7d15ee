"""DOG: pins move by cards that are hidden in hands."""
