"""A few rounds of one player at all four seats as text: every question, what was seen, what was answered.

`python -m tests.makers.playthroughs` writes them anew to tests/golden/playthroughs; a test plays them again and
compares. A change of a player, of the order of questions or of the random numbers shows there line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from tests.makers.runs import make_run
from tests.paths import GOLDEN
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.observation.specs import spec
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.players.crowd import CrowdAgent
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, KINDS, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import LABEL_OF_RANK, LABELS, labels
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.state import NOBODY, RIGHT
from tichu_models.runs.checkpoint import load, save

FOLDER = GOLDEN / "playthroughs"
RENEW = "python -m tests.makers.playthroughs"
ROUNDS, SEED = 3, 23  # a game in which every kind of question is asked, and bombs are thrown


def policy_of_integers() -> Agent:
    """A player whose network has few weights, all of them -1 or 1, and reads cards and other bits only: its sums are
    small integers, exact in float32 and bfloat16 and in whatever order they are made. The odds of a pass lie halfway
    between two integers, so that no play equals it."""
    with TemporaryDirectory() as folder:
        runs, read, chance = Path(folder), spec("play-375"), np.random.default_rng(3)
        name = make_run(runs, "PolicyNet", hidden=[32])
        run = load(runs / name)
        bits = [place for place, name in enumerate(read.names) if name.partition(".")[0] not in NUMBERS]
        first, second = (layer for layer in run.network.layers if isinstance(layer, torch.nn.Linear))
        for layer, inputs in ((first, bits), (second, range(second.in_features))):
            layer.weight.data.zero_()
            layer.bias.data.zero_()
            for row in layer.weight.data:
                row[chance.choice(list(inputs), 8, replace=False)] = torch.tensor(chance.choice([-1.0, 1.0], 8)).float()
        second.bias.data[-1] = 0.5
        save(runs / name, run.network, run.manifest)
        return agent_from(f"policy:{name},rule=likelihood,decisions=false", runs)


NUMBERS = ("trick_points", "points", "game_score")  # what is no bit in a vector
PLAYERS: dict[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "heuristic": HeuristicAgent,
    "heuristic-blunder": lambda: HeuristicAgent(0.1),
    "crowd": lambda: CrowdAgent("crowd", np.array([0.0, 0.1, 0.25, 1.0])),
    "policy": policy_of_integers,
}


class Scribe(Agent):
    """A player whose questions and answers are written down."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.name
        self.past, self.wants = agent.past, agent.wants
        self.lines: list[str] = []

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """As the player."""
        choices = self.agent.decide(kind, views, **extras)
        self.lines += [line(kind, view, int(choice)) for view, choice in zip(views, choices, strict=True)]
        return choices


def line(kind: int, view: np.void, choice: int) -> str:
    """One question: which seat, what is asked, the cards on its hand, what lies on the table, and the answer."""
    table = []
    if kind in (PLAY, BOMB_THROW) and view["owner"] != NOBODY:
        table.append(f"on {' '.join(labels(int(cards_of(view['trick']))))} of {view['owner']}")
    if kind == PLAY and view["wish"] > 0:
        table.append(f"wished {LABEL_OF_RANK[view['wish']]}")
    asked = " ".join([" ".join(labels(int(view["hand"]))), *(f"[{part}]" for part in table)])
    return f"  {view['seat']} {KINDS[kind]:6} {asked} -> {told(kind, choice)}"


def told(kind: int, choice: int) -> str:
    """An answer in words."""
    if kind in (PLAY, BOMB_THROW):
        return " ".join(labels(choice)) or ("pass" if kind == PLAY else "no")
    if kind == SCHUPF:
        return ", ".join(LABELS[card] for card in given_cards(choice))
    if kind == WISH:
        return LABEL_OF_RANK[choice] if choice else "nothing"
    if kind == DRAGON_GIFT:
        return "right" if choice == RIGHT else "left"
    return "yes" if choice else "no"


def playthrough(agent: Agent) -> str:
    """The text of a few rounds of a game."""
    scribe = Scribe(agent)
    (rounds,) = lockstep.play_games([scribe], np.zeros((1, 4), dtype=np.int64), SEED, ROUNDS)
    text, begins = [], iter(deals(scribe.lines))
    for number, row in enumerate(rounds.rows):
        lines = next(begins)
        text += [f"round {number}", *lines, f"score {row['score'][0]} : {row['score'][1]}", ""]
    return "\n".join(text)


def deals(lines: list[str]) -> Iterator[list[str]]:
    """The lines of each round: it begins with four questions about grand Tichus."""
    first = f"  0 {KINDS[GRAND_CALL]} "
    starts = [place for place, each in enumerate(lines) if each.startswith(first)]
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[begin:end]


def main() -> None:
    """Writes all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in PLAYERS.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(make()))


if __name__ == "__main__":
    main()
