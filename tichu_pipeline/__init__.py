"""What runs Tichu: logs in; tables, features, players, tournaments out. What plays is in `tichu_models`."""
