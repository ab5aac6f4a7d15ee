"""What a data folder holds, whether it is fresh, and what is missing."""
