"""The judge of played rounds: what each decision was worth, from what its seat knew then."""
