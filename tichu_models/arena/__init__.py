"""Tables stepped in lock-step: who is asked what and when, self-play, matches. Gives back records."""
