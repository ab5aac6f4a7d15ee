"""Everything that is particular to Brettspielwelt's logs: archives, download, text to records, records to
text, corpora."""
