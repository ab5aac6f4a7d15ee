"""The prototype of Ganz schön clever: its yellow area alone."""
