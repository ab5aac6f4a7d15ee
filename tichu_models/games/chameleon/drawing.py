"""The board of Chameleon Chess as text for a terminal, and as SVG for pages."""

from __future__ import annotations

from tichu_models.game import OVER, State
from tichu_models.games.chameleon.board import COLOUR_OF_PAWN, COLOURS, LETTERS, ROLE, SIDE
from tichu_models.games.chameleon.rules import GONE, PAWNS, PLAYERS, mover

NAMES = ("Red", "Green", "Yellow", "Blue")
FIGURES = "♞♛♝♜"  # knight, queen, bishop, rook
FILL = ("#e06c5f", "#74b26a", "#ecd35c", "#6c9fdc")
DARK = ("#8e1b10", "#1f5f16", "#8a6f00", "#123f7a")
OUTSIDE = 0.12  # opacity of fields outside the limits
SIZE, EDGE = 48, 24


def _pawns(state: State) -> dict[int, tuple[int, int]]:
    """Player and role of the pawn on each occupied field."""
    return {
        int(state.field[pawn]): (pawn // PAWNS, int(ROLE[COLOUR_OF_PAWN[pawn], state.field[pawn]]))
        for pawn in range(PLAYERS * PAWNS)
        if state.field[pawn] != GONE
    }


def _whose_turn(state: State) -> str:
    living = [NAMES[player] for player in range(PLAYERS) if state.pawns[player]]
    if mover(state) != OVER:
        return f"{NAMES[state.turn]} to move"
    return f"{living[0]} has won" if len(living) == 1 else f"drawn between {', '.join(living)}"


def text(state: State) -> str:
    """The board, row by row: a field is its colour in small letters, with a pawn its player and the figure. Fields
    outside the limits are dots."""
    pawns = _pawns(state)
    lines = []
    for row in range(SIDE):
        cells = []
        for field in range(SIDE * row, SIDE * (row + 1)):
            if field in pawns:
                player, role = pawns[field]
                cells.append(f"{LETTERS[player]}{FIGURES[role]}")
            else:
                cells.append(f"{LETTERS[COLOURS[field]].lower()} " if int(state.inside) >> field & 1 else ". ")
        lines.append(f"{SIDE - row}  {' '.join(cells)}".rstrip())
    return "\n".join([*lines, "   " + "  ".join("abcdefgh"), _whose_turn(state)])


def svg(state: State) -> str:
    """The board as a picture."""
    width, pawns = SIDE * SIZE + 2 * EDGE, _pawns(state)
    head = (
        f'viewBox="0 0 {width} {width}" width="{width}" height="{width}" font-family="sans-serif" text-anchor="middle"'
    )
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {head} role="img">', f"<title>{_whose_turn(state)}</title>"]
    for field in range(SIDE * SIDE):
        x, y = EDGE + SIZE * (field % SIDE), EDGE + SIZE * (field // SIDE)
        opacity = "" if int(state.inside) >> field & 1 else f' opacity="{OUTSIDE}"'
        parts.append(f'<rect x="{x}" y="{y}" width="{SIZE}" height="{SIZE}" fill="{FILL[COLOURS[field]]}"{opacity}/>')
        if field in pawns:
            player, role = pawns[field]
            middle = f'cx="{x + SIZE // 2}" cy="{y + SIZE // 2}"'
            parts.append(
                f'<circle {middle} r="{SIZE * 0.42:.1f}" fill="{DARK[player]}" stroke="#fff" stroke-width="2"/>'
            )
            parts.append(
                f'<text x="{x + SIZE // 2}" y="{y + SIZE * 0.71:.1f}" font-size="28" fill="#fff">{FIGURES[role]}</text>'
            )
    for i in range(SIDE):
        along = EDGE + SIZE * i + SIZE // 2
        parts.append(f'<text x="{along}" y="{width - 7}" font-size="13">{"abcdefgh"[i]}</text>')
        parts.append(f'<text x="{EDGE // 2}" y="{along + 5}" font-size="13">{SIDE - i}</text>')
    return "\n".join([*parts, "</svg>"])
