"""Studies of games: each a question with a table, and a picture where one helps. `study` makes and stores them."""
