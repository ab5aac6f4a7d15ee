"""Training of networks on logged decisions: settings and presets, objectives, losses, metrics, the training loop."""
