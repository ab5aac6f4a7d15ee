"""The stage `scaling`: constants that clip and scale points and scores for networks, fitted once."""
