"""Play: tables, the loops that step them, tournaments between agents, and the facts that a tournament yields."""
