"""Agents by name, as commands and tournaments take them: `random`, `heuristic`, `heuristic:blunder=.1`."""

from __future__ import annotations

from pathlib import Path

from tichu_models.agents.base import Agent
from tichu_models.agents.builtin import HeuristicAgent, RandomAgent


class AgentError(ValueError):
    """A text that names no agent."""


def agent_from(text: str, runs: Path | None = None) -> Agent:
    """The agent that a text names. Trained ones are looked for in the folder of runs."""
    name, _, settings = text.partition(":")
    key, _, value = settings.partition("=")
    try:
        if text == "random":
            return RandomAgent()
        if text == "heuristic":
            return HeuristicAgent()
        if name == "heuristic" and key == "blunder":
            return HeuristicAgent(float(value))
    except ValueError as error:
        raise AgentError(f"agent '{text}': {error}") from error
    raise AgentError(f"no agent '{text}': expected random, heuristic or heuristic:blunder=.1")
