"""The board of MADN and DOG as text for a terminal, and as SVG for pages. A pin is its player's letter and its number;
the ring is drawn as a square in the one and as a circle in the other, clockwise from the start of A."""

from __future__ import annotations

import math

from tichu_models.game import State
from tichu_models.games.pachisi.board import HOME, NOWHERE, PINS, SEATS

FILL = ("#e06c5f", "#ecd35c", "#74b26a", "#6c9fdc")
DARK = ("#8e1b10", "#8a6f00", "#1f5f16", "#123f7a")
RADIUS, SIZE = 15, 34  # of a cell, and from one to the next
EDGE = 110  # for the homes


def label(state: State, cell: int) -> str:
    """The pin on a cell, or nothing."""
    pin = int(state.at[cell])
    return "" if pin == NOWHERE else f"{SEATS[pin // PINS]}{pin % PINS}"


def headline(state: State, waits_for: str) -> str:
    """Who acts, or who has won."""
    if state.won:
        return f"{' and '.join(SEATS[i] for i in range(len(SEATS)) if int(state.won) >> i & 1)} won"
    with_pins = "" if state.own == state.turn else f", with the pins of {SEATS[state.own]}"
    return f"{SEATS[state.turn]} to move{with_pins}{waits_for}"


def _place(cell: int, side: int) -> tuple[int, int]:
    """Row and column of a cell of the ring."""
    along, offset = divmod(cell, side)
    return ((0, offset), (offset, side), (side, side - offset), (side - offset, 0))[along]


def board_text(state: State) -> list[str]:
    """The ring as a square; below it homes and goals. Small letters are starts."""
    side, players = int(state.distance), int(state.players)
    rows = [["  "] * (side + 1) for _ in range(side + 1)]
    for cell in range(int(state.ring)):
        row, column = _place(cell, side)
        empty = f"{SEATS[cell // side].lower()} " if cell % side == 0 and cell // side < players else ". "
        rows[row][column] = label(state, cell) or empty
    lines = [" ".join(row).rstrip() for row in rows]
    for player in range(players):
        home = [f"{SEATS[player]}{pin}" for pin in range(PINS) if state.pins[player, pin] == HOME]
        first = int(state.ring) + PINS * player
        goal = " ".join(f"{label(state, first + i) or '.':2}" for i in range(PINS))
        lines.append(f"{SEATS[player]}: goal {goal}  home {' '.join(home) or '-'}")
    return lines


def _circle(x: float, y: float, fill: str, stroke: str = "#777", radius: float = RADIUS) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{stroke}"/>'


def _pin(x: float, y: float, player: int, pin: int) -> str:
    words = f'<text x="{x:.1f}" y="{y + 4:.1f}" font-size="11" fill="#fff">{SEATS[player]}{pin}</text>'
    return _circle(x, y, DARK[player], "#fff", RADIUS - 2) + words


def board_svg(state: State, title: str, below: list[str]) -> str:
    """The board as a picture: the ring as a circle, goals inside, homes outside. `below` are lines of text."""
    ring, players = int(state.ring), int(state.players)
    radius = SIZE * ring / (2 * math.pi)
    middle = max(radius, 5 * SIZE + SIZE * 2) + EDGE
    width, height = 2 * middle, 2 * middle + 18 * len(below)
    head = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" font-family="sans-serif"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {head} text-anchor="middle" role="img">']
    parts.append(f"<title>{title}</title>")

    def at(cell: int) -> tuple[float, float]:
        far, around = radius, float(cell)
        if cell >= ring:
            player, place = divmod(cell - ring, PINS)
            far, around = radius - SIZE * (place + 1), player * float(state.distance) - 1
        angle = 2 * math.pi * around / ring - 3 * math.pi / 4
        return middle + far * math.cos(angle), middle + far * math.sin(angle)

    for cell in range(ring + PINS * players):
        player = cell // int(state.distance) if cell < ring else (cell - ring) // PINS
        own = player < players and (cell >= ring or cell % int(state.distance) == 0)
        parts.append(_circle(*at(cell), FILL[player] if own else "#f4f1ea"))
        if state.at[cell] != NOWHERE:
            parts.append(_pin(*at(cell), *divmod(int(state.at[cell]), PINS)))
    for player in range(players):
        angle = 2 * math.pi * player / 4 - 3 * math.pi / 4
        for pin in range(PINS):
            far = radius + 2 * SIZE
            x = middle + far * math.cos(angle) + (pin % 2 - 0.5) * SIZE
            y = middle + far * math.sin(angle) + (pin // 2 - 0.5) * SIZE
            parts.append(_circle(x, y, FILL[player]))
            if state.pins[player, pin] == HOME:
                parts.append(_pin(x, y, player, pin))
    parts.append(f'<text x="{middle:.0f}" y="{middle:.0f}" font-size="15">{title}</text>')
    for i, line in enumerate(below):
        parts.append(f'<text x="{middle:.0f}" y="{2 * middle + 18 * i:.0f}" font-size="13">{line}</text>')
    return "\n".join([*parts, "</svg>"])
