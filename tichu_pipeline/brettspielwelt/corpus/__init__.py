"""Generated corpora: games of built-in players as archives of logs, with planted quirks."""
