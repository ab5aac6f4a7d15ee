"""Games beside Tichu, each in a room of its own. They know neither Tichu nor each other; `registry` lists them."""
