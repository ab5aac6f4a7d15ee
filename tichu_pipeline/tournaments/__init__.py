"""Tournaments as files: played by several workers, kept, logged, shown. How they are played is the arena's matter."""
