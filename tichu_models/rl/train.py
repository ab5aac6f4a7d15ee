"""`train`: self-play from its settings to the folder of a run. It can be killed at any moment and resumes where it was.

An iteration plays rounds with the present networks, lets the critic judge every decision, and takes all networks some
steps towards what turned out better. All random numbers depend on the seed and the iteration: a resumed run learns what
it would have learned, but for the order in which this machine's threads add. `runs.files` lists the files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tichu_models.algorithms.ppo import CUT, STATISTICS
from tichu_models.algorithms.returns import normalised
from tichu_models.algorithms.student import generator_of
from tichu_models.rl.evaluation import duel
from tichu_models.rl.forks import labels_of, own_part, twins_of
from tichu_models.rl.goals import Goals
from tichu_models.rl.learning import Pupil, facts_of, returns_of
from tichu_models.rl.opponents import HEURISTIC, Opponent
from tichu_models.rl.progress import SelfplayProgress
from tichu_models.rl.rollout import Experience
from tichu_models.rl.schedule import Schedule
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rl.tasks import PlayerOfTask, RunTasks, joined, play_task, tasks_of
from tichu_models.rl.teaching import Teacher
from tichu_models.rl.team import CALLS, Team
from tichu_models.runs import checkpoint
from tichu_models.runs.files import FIGURES, RESUME_SELFPLAY
from tichu_models.runs.journal import Clock, Journal
from tichu_models.runs.manifest import RunManifest
from tichu_models.search.open_hands import closed
from tichu_models.whole_files import write_whole

EVALUATION_SEED = 20_000_000  # of the deals of all evaluations; those of the training come from the run's own seed
RARE = ("bomb", "wish", "dragon")  # less than two decisions a round each
YOUNG = 10  # iterations in which a moving average forgets the random weights of the start


class SelfPlay:
    """A run in memory: its networks, and how far they have learned."""

    def __init__(
        self,
        settings: SelfplaySettings,
        start: Path | None = None,
        accelerator: str = "cpu",
        opponent: Opponent | None = None,
    ) -> None:
        self.settings, self.team = settings, Team(settings, start, accelerator, opponent)
        self.opponent = opponent or HEURISTIC  # by whom it is judged
        self.iteration, self.minutes = 0, 0.0
        self.points: float | None = None

    @property
    def rounds(self) -> int:
        """Rounds played so far."""
        return self.iteration * self.settings.rounds

    @property
    def share(self) -> float:
        """How much of the run is done: by its iterations or, against an opponent, by its minutes."""
        limit = self.opponent.minutes
        return min(1.0, max(self.iteration / self.settings.iterations, self.minutes / limit if limit else 0.0))

    def learnt(self, iteration: int | None = None) -> list[str]:
        """The kinds of decisions that are learned in an iteration, by default the next; rules of thumb make the
        others."""
        iteration = self.iteration if iteration is None else iteration
        later = iteration >= self.settings.plays_first * self.settings.iterations
        return [kind for kind in self.team.pupils if later or kind in ("play", "bomb")]

    @property
    def learned(self) -> list[str]:
        """The kinds of decisions that have been learned so far."""
        return self.learnt(max(self.iteration - 1, 0))

    @property
    def teacher(self) -> Teacher | None:
        """Who plays in the next iteration and teaches the network for plays; None if it learns from its own rounds."""
        return self.team.teacher if self.share < self.settings.taught else None

    @property
    def _schedule(self) -> Schedule:
        return Schedule(self.settings, self.share)

    @property
    def _trace(self) -> float:
        """Lambda of the returns; what a teacher's play has gained, the critic says right after it."""
        return 0.0 if self.teacher else self.settings.trace

    def iterate(self, run_tasks: RunTasks = map) -> dict[str, float]:
        """Plays rounds and learns from them. Returns figures."""
        settings, judge, clock = self.settings, self.team.judge, Clock()
        generator = generator_of(settings.seed, self.iteration)
        experience = self._play(run_tasks, generator)
        clock.lap("collect")
        own = own_part(experience) & (experience.decisions["player"] == 0)
        learned = self._learned(experience.decisions, own, generator)
        judged = learned if self._trace == 1 else np.ones(len(learned), dtype=bool)
        values = judge.values(experience, judged)
        returns = returns_of(experience, values, self._trace)
        clock.lap("judge")
        if self.teacher:
            self.team.pupils["play"].student.set_rate(self._schedule.rate(settings.learning_rate))
            figures = self.teacher.teach(self.team.pupils["play"], experience, learned, values, returns, generator)
        else:
            figures = self._learn(experience, learned, returns - values, generator)
        clock.lap("learn")
        if not self.teacher:
            judge.student.set_rate(self._schedule.rate(settings.critic_rate))
            judge.learn(experience, returns, own, settings.critic_share, settings.critic_batch, generator)
        clock.lap("criticise")
        self.iteration += 1
        self._remember()
        return figures | facts_of(experience, values, judged) | clock.seconds

    def _play(self, run_tasks: RunTasks, generator: np.random.Generator) -> Experience:
        """Plays the rounds of an iteration: among itself, and a share of them against another player."""
        settings, scaling = self.settings, self.team.scaling
        seating = np.zeros((settings.rounds, 4), dtype=np.int64)
        first = self.teacher.player if self.teacher else PlayerOfTask(self.team.networks(self.learnt()), scaling)
        players = [replace(first, seed=settings.seed)]
        if others := round(settings.rounds * settings.against):
            players.append(self.team.adversary(generator, self._trace < 1))
            seating[settings.rounds - others :: 2, 1::2] = 1
            seating[settings.rounds - others + 1 :: 2, 0::2] = 1
        twins = settings.twins if set(self.learnt()) & set(CALLS) else 0.0
        fixtures, forks = twins_of(seating, settings.seed, self.rounds, twins, generator)
        goals = Goals.drawn(settings, forks, generator)
        experience = joined(list(run_tasks(play_task, tasks_of(players, goals.put_into(fixtures), forks))))
        goals.value(experience.ended)
        return experience if settings.open_hands else replace(experience, opened=closed(experience.opened))

    def _learned(self, decisions: np.ndarray, own: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Which decisions are learned from: the player's own, all that were not sure and a few of those that were."""
        unsure = decisions["log"] < np.log(self.settings.sure)
        return own & (unsure | (generator.random(len(own)) < self.settings.sure_share))

    def _learn(
        self, experience: Experience, learned: np.ndarray, advantages: np.ndarray, generator: np.random.Generator
    ) -> dict[str, float]:
        """Every network learns from its decisions: announcements by what they are worth, all else by what turned out
        better than expected."""
        settings, decisions = self.settings, experience.decisions
        figures: dict[str, float] = {}
        by_kind = np.zeros(len(decisions), dtype=np.float32)
        by_kind[learned] = normalised(advantages[learned], decisions["kind"][learned], CUT)
        learnt = self.learnt()
        for kind, pupil in self.team.pupils.items():
            by_gains = kind in CALLS and settings.calls_by != "ppo"
            if kind not in learnt:
                told = dict.fromkeys(("error", "spread") if by_gains else STATISTICS, 0.0)
            elif by_gains:
                told = self._learn_to_call(pupil, experience, generator)
            else:
                pupil.student.set_rate(
                    self._schedule.rate(settings.rare_rate if kind in RARE else settings.learning_rate)
                )
                rows = np.flatnonzero(learned & (decisions["kind"] == pupil.kind))
                batch_size = settings.batch if kind == "play" else settings.decision_batch
                told = pupil.learn(
                    *(
                        experience,
                        rows,
                        by_kind[rows],
                        self._schedule.weights(kind),
                        batch_size,
                        settings.epochs,
                        generator,
                    ),
                    magnet=self.team.magnets.get(kind) if settings.magnet else None,
                )
            figures |= {f"{kind}.{name}": value for name, value in told.items()}
        return figures

    def _learn_to_call(self, pupil: Pupil, experience: Experience, generator: np.random.Generator) -> dict[str, float]:
        """A network learns what announcements are worth. Returns the mean square of what they turned out to be worth
        in the twins, and that of the network's error there, before it learns from them."""
        settings, decisions, judge = self.settings, experience.decisions, self.team.judge
        rows, gains = labels_of(experience)
        here = (decisions["kind"][rows] == pupil.kind) & (decisions["player"][rows] == 0)
        rows, gains = rows[here], gains[here]
        unit, n = np.float32(settings.call_unit), max(len(rows), 1)
        errors = pupil.gains(experience.seen[rows]) * unit - gains
        figures = {"error": float((errors**2).sum()) / n, "spread": float((gains**2).sum()) / n}
        if settings.calls_by == "critic":
            asked = np.flatnonzero((decisions["kind"] == pupil.kind) & (decisions["player"] == 0))
            rows = np.sort(generator.choice(asked, min(settings.call_labels, len(asked)), replace=False))
            gains = judge.gains(experience.opened[rows], pupil.kind)
        pupil.student.set_rate(self._schedule.call_rate)
        pupil.regress(experience.seen[rows], gains / unit, settings.call_batch, generator)
        return figures

    def _remember(self) -> None:
        """Moves the averages, the pool and the magnets on."""
        settings, team = self.settings, self.team
        if settings.average:
            team.average(min(settings.average, self.iteration / (self.iteration + YOUNG)))
        if settings.against and not team.opponent and self.iteration % settings.pool_every == 0:
            team.pool = [*team.pool, team.networks(self.learned)][-settings.pool_most :]
        if settings.magnet and self.iteration % settings.magnet_every == 0:
            team.set_magnets()

    def evaluate(self, run_tasks: RunTasks = map) -> dict[str, float | str]:
        """The player against its opponent, by default the heuristic one, on deals that are the same at every
        evaluation."""
        player, other = self.team.player(self.learned), self.opponent.player
        result = duel(player, other, self.settings.evaluation_deals, EVALUATION_SEED, run_tasks)
        self.points = result.mean
        return {
            "minutes": round(self.minutes, 3),
            "rounds": self.rounds,
            "opponent": self.opponent.name,
            **result.row(),
        }

    def save(self, folder: Path) -> None:
        """Writes the player as it is now, and the state to resume from."""
        facts = {"iteration": self.iteration, "rounds": self.rounds, "minutes": self.minutes, "points": self.points}
        self.team.save(folder, self.learned, facts)

    def load(self, folder: Path) -> None:
        """Restores the state that `save` wrote."""
        facts = self.team.load(folder)
        self.iteration, self.minutes, self.points = facts["iteration"], facts["minutes"], facts["points"]


@dataclass(frozen=True)
class SelfTrained:
    """The result of a run, or how far it came."""

    figures: dict[str, float]  # of the last evaluation; none if the run is not finished
    finished: bool
    reused: bool = False


def figures_of(folder: Path, manifest: RunManifest) -> dict[str, float] | None:
    """The figures of the finished run with this manifest; None if the folder does not hold it."""
    path = folder / FIGURES
    return json.loads(path.read_text()) if checkpoint.is_of(folder, manifest) and path.exists() else None


def train(
    settings: SelfplaySettings,
    folder: Path,
    run_tasks: RunTasks = map,
    minutes: float | None = None,
    progress: Callable[[SelfplayProgress], None] = lambda progress: None,
    evaluated: Callable[[dict[str, float | str]], None] = lambda figures: None,
    start: Path | None = None,
    accelerator: str = "cpu",
    opponent: Opponent | None = None,
) -> SelfTrained:
    """Trains players by self-play, or goes on with a run, for so many minutes at most. `start` is the folder of a run
    whose networks it begins with, `opponent` a player that it trains against; `progress` is called after every
    iteration, `evaluated` after every evaluation."""
    run = SelfPlay(settings, start, accelerator, opponent)
    manifest = run.team.manifest()
    if (finished := figures_of(folder, manifest)) is not None:
        return SelfTrained(finished, True, reused=True)
    if not checkpoint.is_of(folder, manifest):
        (folder / FIGURES).unlink(missing_ok=True)  # of another run
    checkpoint.begin(folder, manifest)
    if (folder / RESUME_SELFPLAY).exists():
        run.load(folder)
    started, before, name = time.monotonic(), run.minutes, run.opponent.name
    figures: dict[str, float | str] = {}
    with Journal(folder, run.iteration) as journal:
        while run.share < 1:
            journal.iterated(run.iteration + 1, run.iterate(run_tasks))
            run.minutes = before + (time.monotonic() - started) / 60
            is_last = run.share == 1
            if run.iteration % settings.evaluate_every == 0 or is_last:
                figures = run.evaluate(run_tasks)
                journal.evaluated(run.iteration, figures)
                evaluated(figures)
            out_of_time = minutes is not None and run.minutes - before >= minutes
            if run.iteration % settings.save_every == 0 or is_last or out_of_time:
                run.save(folder)
            progress(SelfplayProgress(run.iteration, settings.iterations, run.rounds, run.minutes, run.points, name))
            if out_of_time and not is_last:
                return SelfTrained({}, False)
    figures = figures or run.evaluate(run_tasks)  # killed after its last iteration, it has none
    latest = {name: value for name, value in figures.items() if not isinstance(value, str)}
    write_whole(folder / FIGURES, json.dumps(latest, indent=1) + "\n")
    (folder / RESUME_SELFPLAY).unlink(missing_ok=True)
    return SelfTrained(latest, True)
