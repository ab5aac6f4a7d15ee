"""Download of game logs from the portal of Brettspielwelt."""
