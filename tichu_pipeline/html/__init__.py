"""Self-contained HTML pages, and Markdown."""
