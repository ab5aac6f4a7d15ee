"""How games are learned: one protocol for all methods, their presets, and the folder of a run."""
