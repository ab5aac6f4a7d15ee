"""Constants that bring points and scores into a range that a network likes: clipping and scaling, fitted once."""
