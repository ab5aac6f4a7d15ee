"""The DuckDB database for SQL users, its queries and its notebook."""
