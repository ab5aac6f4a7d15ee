"""Players. An agent answers batches of views; built-in players are kernels that answer one view."""
