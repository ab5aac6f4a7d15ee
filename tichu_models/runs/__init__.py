"""The folder of a run, `runs/<name>/`: its files, its manifest, its weights."""
