"""`tichu games match` and `play`: agents against each other and against a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tichu_pipeline.commands.games import GameArgument, PlayersOption, RulesOption, game_of, options_of
from tichu_pipeline.commands.terminal import DataOption, JsonOption, bar, fail, print_table

if TYPE_CHECKING:
    import numpy as np

    from tichu_models.game import Game
    from tichu_models.games.agents import Adviser, GameAgent


def agents_of(game: Game, options: np.ndarray, texts: list[str], data: Path) -> list[GameAgent]:
    """Agents by their texts, who play by these options; a text that names none ends the command."""
    from tichu_models.games.agents import UnknownAgent, agent_of
    from tichu_pipeline.storage.folders import DataPaths

    try:
        return [agent_of(game, text, DataPaths(data).board_games, options) for text in texts]
    except UnknownAgent as error:
        fail(str(error))


def match(
    name: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Agents: random, greedy, maxn, maxnis, paranoid, hypermax, brs, rules, expectimax, td:RUN, ppo:RUN, "
            "muzero:RUN, champion; with options maxn:depth=3 or brs:seconds=1,evaluation=moves.",
            metavar="AGENT..",
            show_default=False,
        ),
    ],
    games: Annotated[int, typer.Option(help="Games in all.", min=1, metavar="N")] = 24,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.", min=0, metavar="N")] = 1,
    players: PlayersOption = "",
    opening: Annotated[
        int, typer.Option(help="Random moves at the beginning, the same for all seatings.", min=0, metavar="N")
    ] = 4,
    rules: RulesOption = "",
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Lets agents play each other, every way to seat them equally often.

    Fewer agents than seats get several seats each. A game of Chameleon Chess is drawn after 100 moves; --rules limit=0
    plays on.

    Example: tichu games match chameleon maxn:depth=3 paranoid:depth=3 --games 240
    """
    from tichu_models.games.match import MATCH_RULES, MatchError
    from tichu_models.games.match import match as play_match

    game = game_of(name)
    options = options_of(game, rules, players, **MATCH_RULES.get(name, {}))
    players_ = agents_of(game, options, agents, data)
    try:
        with bar("games", games, not as_json) as report:
            result = play_match(game, options, players_, games, seed, opening, report)
    except MatchError as error:
        fail(str(error))
    if as_json:
        typer.echo(json.dumps(result))
        return
    _print_match(result)


def _print_match(result: dict[str, Any]) -> None:
    rows = [
        (
            *(agent["name"], str(agent["seats"]), str(agent["wins"]), str(agent["draws"])),
            f"{100 * agent['share']:.1f}%",
            f"{100 * agent['interval'][0]:.1f} .. {100 * agent['interval'][1]:.1f}%",
            f"{agent['score_mean']:.2f}",
        )
        for agent in sorted(result["agents"], key=lambda each: -each["share"])
    ]
    print_table(("agent", "seats", "wins", "draws", "share of games", "95% interval", "score"), rows, {}, whole=1)
    seats = ", ".join(f"{seat} {won['wins']}" for seat, won in result["seats"].items())
    typer.echo(f"{result['games']} games of {result['length_mean']:.0f} moves; wins by seat: {seats}")
    if result["broken_off"]:
        typer.echo(f"Broken off, as drawn by all sides: {result['broken_off']}, of which no end was in sight.")
    if result["games"] % result["seatings"]:
        typer.echo(f"Not all {result['seatings']} seatings were played equally often.")


def play(
    name: GameArgument,
    agents: Annotated[
        str,
        typer.Option(
            help="The others: one for all, or one each in the order of turns, separated by /.",
            show_default="champion, maxnis:seconds=1 or rules, whichever the game has first",
        ),
    ] = "",
    seat: Annotated[
        str, typer.Option(help="Your seat, as a letter.", show_default="the first to move", metavar="LETTER")
    ] = "",
    players: PlayersOption = "",
    rules: RulesOption = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same chances.", min=0, metavar="N")] = 1,
    hints: Annotated[
        str, typer.Option(help="An agent that you may ask what it thinks of your actions.", metavar="AGENT")
    ] = "",
    data: DataOption = Path("data"),
) -> None:
    """Lets you play a game in the terminal.

    A move is written as l lists it, in Chameleon Chess a1-b3; h asks for hints, q leaves.

    Example: tichu games play chameleon --players RY --agents maxnis:depth=4
    """
    from tichu_pipeline.table.board_game import Quit, play_board_game

    game = game_of(name)
    options = options_of(game, rules, players)
    seats = game.seats_of(options)
    letter = seat.upper() or game.seats[seats[0]]
    if letter not in [game.seats[each] for each in seats]:
        raise typer.BadParameter(f"{seat}: nobody plays there", param_hint="--seat")
    others = [each for each in seats if game.seats[each] != letter]
    texts = (agents or _opponent(game, options)).split("/")
    if len(texts) not in (1, len(others)):
        raise typer.BadParameter(f"{len(texts)} agents; expected one or {len(others)}", param_hint="--agents")
    found = agents_of(game, options, texts * len(others) if len(texts) == 1 else texts, data)
    adviser = _adviser_of(game, options, hints, data) if hints else None
    try:
        play_board_game(game, options, dict(zip(others, found, strict=True)), seed, _ask, typer.echo, adviser)
    except (Quit, EOFError):
        typer.echo("")


def _opponent(game: Game, options: np.ndarray) -> str:
    """An agent that plays the game well enough for a person. Champions know the usual rules."""
    from tichu_models.games.champions import CHAMPION, has_champion

    if has_champion(game.name) and (game.read_options({}) == options).all():
        return CHAMPION
    kernels = {"maxnis:seconds=1": "search_maxn", "rules": "choose_by_worth"}
    return next((name for name, kernel in kernels.items() if kernel in game.algorithms), "random")


def _adviser_of(game: Game, options: np.ndarray, text: str, data: Path) -> Adviser:
    from tichu_models.games.agents import Adviser

    (agent,) = agents_of(game, options, [text], data)
    if not isinstance(agent, Adviser):
        raise typer.BadParameter(
            f"{text} gives no hints; ppo:RUN and muzero:RUN do, and td:RUN of a game for one", param_hint="--hints"
        )
    return agent


def _ask(question: str) -> str:
    return input(question)
