"""Commands of `tichu` by topic: what a person types, and what is printed. `cli` registers them."""
