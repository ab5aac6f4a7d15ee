"""DTAgent keeps no sequence: what it finds anew at every turn must be what its network was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.makers.runs import DECISION_NETS, SCALING, SMALL, Watched, make_run, make_runs
from tests.makers.vectors import played
from tichu_models.agents.choosing import moves_of
from tichu_models.agents.neural.dt_agent import DTAgent
from tichu_models.agents.neural.gc_agent import collected_lead
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.extras import ROUND_NUMBERS
from tichu_models.chance import draw
from tichu_models.networks.candidates import card_bits
from tichu_models.observation.samples import Encoder, as_records
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec, spec
from tichu_models.observation.unpack import BFLOAT16, FLOAT32
from tichu_models.records.schema import Rounds, joined
from tichu_models.rules.asking import PLAY
from tichu_models.samples.arrays import ArrayBatch
from tichu_models.samples.feed import Tensors
from tichu_models.samples.loader import Loader, SampleFilter
from tichu_models.samples.sources import ANY_SPLIT, Block

SEED, LONGEST = 3, 80  # turns of a seat in a round, far more than there are


class InMemory:
    """A source of rounds that stand in no file."""

    def __init__(self, rounds: Rounds, read: Spec) -> None:
        self.spec, self.fingerprint = read, ""
        self.samples = Encoder(read).samples(played(rounds))
        self.blocks: Sequence[Block] = [Block(None, "2024-01", 0)]  # type: ignore[arg-type]

    def room(self, block: Block) -> int:
        return len(self.samples)

    def fill(self, block: Block, into: np.ndarray, split: int = ANY_SPLIT) -> int:
        into[: len(self.samples)] = self.samples
        return len(self.samples)


def trained_on(rounds: Rounds, kind: str) -> tuple[dict[tuple[int, int, int], tuple[int, int]], Any]:
    """(row and step of each turn of a seat in a round, the loader's batch as training takes it)."""
    read = spec("sequence")
    source = InMemory(rounds, read)
    loader = Loader(
        source, 4 * len(rounds), SampleFilter(drop_forced=True), Scaling.of(SCALING), kind=kind, steps=LONGEST,
        drop_last=False, shuffle=False,
    )  # fmt: skip
    (arrays,) = loader
    assert isinstance(arrays, ArrayBatch)
    batch = Tensors(read.names)(arrays)
    facts = as_records(source.samples, read)
    rows: dict[tuple[int, int], int] = {}
    steps: dict[tuple[int, int], int] = {}
    place = {}
    for fact in facts[facts["forced"] == 0]:
        whose = int(fact["round"]), int(fact["seat"])
        row = rows.setdefault(whose, len(rows))
        step = steps[whose] = steps.get(whose, -1) + 1
        place[*whose, int(fact["turn"])] = row, step
    return place, batch


def compare(agent: DTAgent, agents: list, games: int, seed: int, max_rounds: int = 2) -> tuple[int, int]:
    """Plays games and compares each sequence; how many, and how many of them were cut off at their beginning."""
    watched = Watched(agent)
    watched.wants = ("transcripts", "rounds")
    watched.agent = agent
    seating = np.random.default_rng(seed).integers(0, 1 + len(agents), (games, 4))
    rounds = joined(list(lockstep.play_games([watched, *agents], seating, seed, max_rounds)))
    kind = BFLOAT16 if agent.network.dtype == torch.bfloat16 else FLOAT32
    place, batch = trained_on(rounds, kind)
    names = {
        int(draw(np.uint64(draw(np.uint64(seed), int(row["game_id"]))), ROUND_NUMBERS + int(row["round_index"]))): i
        for i, row in enumerate(rounds.rows)
    }
    doubles = played(rounds).doubles
    views, extras, _ = watched.all_of(PLAY)
    chosen = moves_of(views).counts > 1
    views, transcripts, numbers = views[chosen], extras["transcripts"][chosen], extras["rounds"][chosen]
    most = agent.network.manifest.config.turns
    turns, cards, counts = agent._turns(views, transcripts, most)
    cut = 0
    for i in range(len(views)):
        round_, n = names[int(numbers[i])], int(counts[i])
        row, step = place[round_, int(views[i]["seat"]), int(views[i]["turns"])]
        begin = step - n + 1
        assert begin >= 0
        assert begin == 0 or n == most
        cut += begin > 0
        expected = slice(begin, step + 1)
        states = torch.cat(
            [state[: which.stop - which.start].clone() for which, state in agent.network.states(turns[i, :n])]
        )
        assert torch.equal(states, batch.state[row, expected])
        action = card_bits(torch.from_numpy(cards[i, : n - 1]))
        action = torch.cat([action, ~action.any(1, keepdim=True)], dim=1)
        assert torch.equal(action.to(batch.target.dtype), batch.target[row, begin:step])
        # Returns as the agent has them if it knows what the round will end with, but for a double victory, with which
        # points that are collected turn out to count for nothing.
        if not doubles[round_]:
            lead = torch.from_numpy(collected_lead(turns[i, :n]) / 100).float()
            assert torch.allclose(batch.value[row, expected] - lead, batch.rtg[row, expected].float(), atol=1e-5)
    return len(views), cut


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A small DTNet, with networks for other decisions; and one that looks back as far as there are turns."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, ("DTNet", *DECISION_NETS), seed=4)
    make_run(folder, "DTNet", "long", **{**SMALL["DTNet"], "turns": 60})
    return folder


@pytest.mark.parametrize("run", ["DTNet", "long"])
def test_a_sequence_that_is_found_anew_is_the_one_it_was_trained_on(runs, run):
    """The network would be asked in words that it has never heard: about forced plays, or without its bombs."""
    agent = agent_from(f"dt:{run},temperature=2", runs)
    sequences, cut = compare(agent, [agent_from("random"), agent_from("heuristic")], 12, SEED)
    assert sequences > 400
    assert (cut > 0) == (run == "DTNet")


@pytest.mark.proof
def test_many_sequences_are_the_ones_it_was_trained_on(runs):
    """As above, over many more rounds."""
    agent = agent_from("dt:long,temperature=2", runs)
    found = [compare(agent, [agent_from("random"), agent_from("heuristic")], 60, seed, 3)[0] for seed in range(10)]
    print(f"\n{sum(found):,} sequences, each as the loader has it")
