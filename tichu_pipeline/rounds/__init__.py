"""The stage `rounds`: turns logs into Parquet files by month, and reads them back."""
