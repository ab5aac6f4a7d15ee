"""From rounds to trained networks: who belongs to which split, how data is loaded, how a network is trained."""
