"""MADN: pins move by number cards, which all see, or by a die."""
