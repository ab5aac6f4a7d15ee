"""What plays Tichu: rules, records, observations, agents and the arena. Never imports `tichu_pipeline`."""
