"""Games beside Tichu in a data folder: their rules counted, what has been learned, matches, studies, and a page."""
