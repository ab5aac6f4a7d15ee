"""Thinking ahead: hidden cards that are supposed, trees over known deals, endings solved exactly."""
