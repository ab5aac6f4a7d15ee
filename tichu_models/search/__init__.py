"""Thinking ahead: beliefs about hidden cards, tree search on the deals they give, an exact endgame solver."""
