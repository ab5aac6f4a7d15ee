"""All that plays and learns Tichu: rules, records, networks, agents, arena. Never imports `tichu_pipeline`."""
