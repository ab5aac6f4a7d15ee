"""The stage `rounds`: logs to Parquet files by month, and these read back."""
