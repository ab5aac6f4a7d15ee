"""Reviews of logs: which games are judged, and how a review is shown."""
