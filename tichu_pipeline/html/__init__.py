"""HTML pages that stand alone, and the Markdown in them."""
