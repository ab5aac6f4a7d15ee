"""The kernels that play many games of MADN together, for networks: a module of their own, so that an edit of what
networks see compiles nothing else."""

from __future__ import annotations

from tichu_models.algorithms import lockstep
from tichu_models.game import bound
from tichu_models.games.pachisi.madn.bound import KERNELS, choose_by_worth
from tichu_models.games.pachisi.madn.pins import MOST_ACTIVE, features, inputs_of, outcome_of, outcomes_of, seen_as
from tichu_models.kernels import inner, kernel

let_chance_act = bound(lockstep.let_chance_act, __name__, inner, KERNELS)
see = bound(lockstep.see, __name__, inner, KERNELS, features=features)
look = bound(lockstep.look, __name__, inner, KERNELS, see=see, seen_as=seen_as)
meant_by = bound(lockstep.meant_by, __name__, inner, KERNELS, seen_as=seen_as)
open_game = bound(lockstep.open_game, __name__, inner, KERNELS, let_chance_act=let_chance_act)
look_at_games = bound(lockstep.look_at_games, __name__, kernel, KERNELS, look=look)
mean_by_numbers = bound(lockstep.mean_by_numbers, __name__, kernel, KERNELS, meant_by=meant_by)
guide_games = bound(lockstep.guide_games, __name__, kernel, KERNELS, guide=choose_by_worth, seen_as=seen_as)
open_games = bound(lockstep.open_games, __name__, kernel, KERNELS, open_game=open_game, look=look)
step_games = bound(
    lockstep.step_games,
    __name__,
    kernel,
    KERNELS,
    let_chance_act=let_chance_act,
    meant_by=meant_by,
    open_game=open_game,
    outcome_of=outcome_of,
    see=see,
    look=look,
)

LOCKSTEP = lockstep.LockstepKernels(
    inputs_of=inputs_of,
    outcomes_of=outcomes_of,
    most_active=MOST_ACTIVE,
    look_at_games=look_at_games,
    mean_by_numbers=mean_by_numbers,
    guide_games=guide_games,
    open_games=open_games,
    step_games=step_games,
)
