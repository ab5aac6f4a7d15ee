"""The rules of Tichu as kernels on 64-bit masks of cards: combinations, legal plays, a round's state, scoring."""
