"""`tichu games`: the games beside Tichu. Their matches are in `games_played`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tichu_pipeline.commands.terminal import JsonOption, fail, print_table

if TYPE_CHECKING:
    import numpy as np

    from tichu_models.game import Game

GameArgument = Annotated[str, typer.Argument(help="A game, as tichu games list names it.", metavar="GAME")]
StateOption = Annotated[str, typer.Option(help="The position as JSON.", show_default=False, metavar="JSON")]
PlayersOption = Annotated[
    str, typer.Option(help="Who plays, as letters.", show_default="all that there can be", metavar="LETTERS")
]
RulesOption = Annotated[
    str, typer.Option(help="Options of the game as key=value,key=value.", show_default="none", metavar="OPTIONS")
]
SvgOption = Annotated[bool, typer.Option("--svg", help="Print the board as SVG.")]


def game_of(name: str) -> Game:
    """The game of this name; ends the command if there is none."""
    from tichu_models.games.registry import UnknownGame, game

    try:
        return game(name)
    except UnknownGame as error:
        fail(str(error))


def _words_of(rules: str) -> dict[str, str]:
    words = {}
    for part in filter(None, (part.strip() for part in rules.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise typer.BadParameter(f"'{part}': expected key=value", param_hint="--rules")
        words[key.strip()] = value.strip()
    return words


def options_of(game: Game, rules: str, players: str = "", **defaults: str) -> np.ndarray:
    """The game's options by --rules and --players; ends the command if they make no sense."""
    words = {**defaults, **_words_of(rules)}
    if players:
        words["players"] = players
    try:
        return game.read_options(words)
    except ValueError as error:
        fail(str(error))


def list_games(as_json: JsonOption = False) -> None:
    """Lists the games."""
    from tichu_models.games.registry import MODULES

    games = [game_of(name) for name in MODULES]
    if as_json:
        _print_json(
            [
                {
                    "name": each.name,
                    "seats": each.seats,
                    "actions": each.actions,
                    "observation": each.observation,
                    "evaluations": list(each.evaluations),
                }
                for each in games
            ]
        )
        return
    rows = [(each.name, _title(each), each.seats, str(each.actions)) for each in games]
    print_table(("name", "game", "seats", "actions"), rows, {}, whole=1)


def rules(name: GameArgument) -> None:
    """Prints the rules of a game, and where they deviate from the published ones."""
    typer.echo(game_of(name).rules.strip())


def perft(
    name: GameArgument,
    players: PlayersOption = "",
    depth: Annotated[int, typer.Option(help="The longest sequences.", min=1, max=12, metavar="N")] = 4,
    as_json: JsonOption = False,
) -> None:
    """Counts the sequences of 1, 2, .. moves from the beginning of a game.

    Such counts are known for many games, and show the smallest fault in the rules.

    Example: tichu games perft chameleon --players RGYB --depth 5
    """
    from tichu_models.algorithms.counting import count_sequences

    game = game_of(name)
    if "perft" not in game.algorithms:
        fail(f"{name}: dice decide what can be done, there is nothing to count")
    options = options_of(game, "", players)
    leaves = count_sequences(game, game.new(options), depth)
    if as_json:
        letters = {game.seats[seat] for seat in game.seats_of(options)}
        _print_json({"players": "".join(seat for seat in game.seats if seat in letters), "leaves": leaves})
        return
    for ply, count in enumerate(leaves, start=1):
        typer.echo(f"{ply:>3} {count:>20,}")


def complexity(
    name: GameArgument,
    games: Annotated[int, typer.Option(help="Random games to play.", min=1, metavar="N")] = 60_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.", min=0, metavar="N")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Counts how many positions a game has, and how long and broad random games are."""
    game = game_of(name)
    found = game.complexity(game, games, seed)
    if as_json:
        _print_json(found)
        return
    for key, value in found.items():
        if isinstance(value, int):
            typer.echo(f"{key.replace('_', ' ')}: {value:,}")
    sizes: Any = found["random_games"]
    rows = [
        (str(size["players"]), f"{size['branching']:.2f}", f"{size['length']:.1f}", f"10^{size['power']:.1f}")
        for size in sizes
    ]
    print_table(("players", "legal moves", "length", "games"), rows, {})


def optimum(
    name: GameArgument,
    dice: Annotated[int, typer.Option(help="How many dice are rolled.", min=1, max=6, metavar="N")] = 2,
    as_json: JsonOption = False,
) -> None:
    """Computes what the best play of a game is worth, by all of its boards, and what random play is.

    So small is only the prototype of Ganz schön clever.

    Example: tichu games optimum clever-prototype --dice 4
    """
    from tichu_models.games.clever.prototype.optimum import optimum as values_of

    if game_of(name).name != "clever-prototype":
        fail(f"{name} is too large for that; clever-prototype is not")
    found = asdict(values_of(dice))
    if as_json:
        _print_json(found)
        return
    for key, value in found.items():
        typer.echo(f"{key.replace('_', ' ')}: {value if key == 'dice' else format(value, '.3f')}")


def legal(
    name: GameArgument,
    state: StateOption,
    index: Annotated[bool, typer.Option("--index", help="Add each action's number.")] = False,
    rules: RulesOption = "",
    svg: SvgOption = False,
    as_json: JsonOption = False,
) -> None:
    """Lists the legal actions of a position, and draws it.

    Example: tichu games legal madn --state '{"pins": [[37, 35, 40, -1], [6, 14, 44, -1]], "turn": 0, "distance": 10}'
    """
    game = game_of(name)
    position = _read(game, state, rules)
    if svg:
        typer.echo(game.notation.svg(position))
        return
    actions = game.legal(position)
    if as_json:
        written = [game.notation.write_action(position, action) for action in actions]
        numbers = [{"index": action} if index else {} for action in actions]
        _print_json({"actions": [each | number for each, number in zip(written, numbers, strict=True)]})
        return
    typer.echo(game.notation.text(position))
    for action in actions:
        number = f"{action:>5}  " if index else ""
        typer.echo(f"{number}{game.notation.say_action(position, action)}")


def apply(
    name: GameArgument,
    state: StateOption,
    action: Annotated[str, typer.Option(help="The action as JSON.", show_default=False, metavar="JSON")],
    rules: RulesOption = "",
    as_json: JsonOption = False,
) -> None:
    """Makes an action in a position and shows what comes of it, or why it is illegal."""
    from tichu_models.game import IllegalAction

    game = game_of(name)
    position = _read(game, state, rules)
    try:
        made = game.notation.read_action(position, _parse(action, "--action"))
        said = game.notation.say_action(position, made) if made in game.legal(position) else ""
        game.step(position, made)
        answer: dict[str, Any] = {"legal": True, "reason": None, "state": game.notation.write_state(position)}
    except IllegalAction as error:
        said, answer = "", {"legal": False, "reason": str(error), "state": game.notation.write_state(position)}
    if as_json:
        _print_json(answer)
        return
    typer.echo(said or f"illegal: {answer['reason']}")
    typer.echo(game.notation.text(position))


def _read(game: Game, text: str, rules: str) -> Any:
    """The position of --state. Where a state has rules, --rules change them."""
    from tichu_models.game import IllegalAction

    options_of(game, rules)
    written, words = _parse(text, "--state"), _words_of(rules)
    if words and isinstance(written, dict):
        written = {**written, "rules": {**(written.get("rules") or {}), **words}}
    try:
        return game.notation.read_state(written)
    except IllegalAction as error:
        fail(f"--state: {error}")


def _parse(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        fail(f"{option}: no JSON: {error}")


def _title(game: Game) -> str:
    return game.rules.strip().splitlines()[0]


def _print_json(answer: Any) -> None:
    typer.echo(json.dumps(answer))
