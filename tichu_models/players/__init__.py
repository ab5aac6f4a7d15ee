"""Players by chance and by rules of thumb: kernels that answer one view. What an agent is, is in `base`."""
