"""A run's folder, `runs/<name>/`: its files, its manifest, its weights."""
