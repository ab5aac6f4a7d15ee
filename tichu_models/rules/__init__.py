"""The rules of Tichu as kernels over 64-bit card masks: cards, combinations, legal plays, a round's state, scoring."""
