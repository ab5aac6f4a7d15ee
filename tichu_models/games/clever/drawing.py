"""The sheets of Ganz schön clever as text for a terminal, and as SVG for pages."""

from __future__ import annotations

from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.clever.entries import ACTIVE, FREE_ENTRY, ROLLS, ROUNDS
from tichu_models.games.clever.notation import KEPT, PHASES, SEATS
from tichu_models.games.clever.rules import mover
from tichu_models.games.clever.sheet import (
    AREA,
    AREAS,
    BEGIN,
    BLUE,
    BLUE_COLUMNS,
    BLUE_NUMBERS,
    BLUE_ROWS,
    BONUSES,
    BOXES,
    DICE,
    FIRST,
    GREEN,
    GREEN_BONUSES,
    GREEN_NUMBERS,
    ORANGE,
    ORANGE_BONUSES,
    ORANGE_TIMES,
    PURPLE,
    PURPLE_BONUSES,
    ROW,
    YELLOW,
    YELLOW_COLUMNS,
    YELLOW_NUMBERS,
    YELLOW_ROWS,
)
from tichu_models.games.clever.views import points_of, score

CROSS = "X"
SHORT = dict(zip(BONUSES, ("", "fox", "↻", "+1", "yX", "bX", "gX", "o4", "o5", "o6", "p6", ""), strict=True))
ROW_BONUSES = {GREEN: GREEN_BONUSES, ORANGE: ORANGE_BONUSES, PURPLE: PURPLE_BONUSES}
FILL = ("#f3d34a", "#7fb2e5", "#8cc97f", "#f2a65a", "#b493d6", "#ffffff")
SIZE, GAP, EDGE = 34, 4, 16
WIDTH, HEIGHT = 2 * EDGE + 12 * (SIZE + GAP), 520


def headline(state: State) -> str:
    """Where the game stands."""
    if mover(state) == OVER:
        return "The game is over"
    what = "a bonus to enter" if state.owed else PHASES[state.phase]
    if state.phase == ACTIVE:
        what += f", roll {state.roll} of {ROLLS}"
    who = "dice to roll" if mover(state) == CHANCE else f"{SEATS[state.turn]} to act"
    return f"Round {state.rounds} of {ROUNDS[state.players]}, {what}: {who}"


def _owed(state: State) -> str:
    kinds = [f"{BONUSES[4 + i]}" for i in range(8) for _ in range(int(state.owed) >> 4 * i & 15)]
    return f"owed: {', '.join(kinds)}" if kinds else ""


def _place(state: State, die: int) -> str:
    """Where a die is."""
    if state.pool >> die & 1:
        return "pool"
    return "entered" if state.entered >> die & 1 else "tray"


def content(state: State, player: int, box: int) -> str:
    """What stands in a box: a cross, a number that was written, or nothing yet."""
    if not int(state.marked[player]) >> box & 1:
        return ""
    return CROSS if AREA[box] < ORANGE else str(int(state.written[player, box - FIRST[ORANGE]]))


def printed(box: int) -> str:
    """What is printed in a box."""
    area, place = int(AREA[box]), box - FIRST[AREA[box]]
    if BEGIN >> box & 1:
        return CROSS if area == YELLOW else ""
    if area == ORANGE:
        return f"x{ORANGE_TIMES[place]}" if ORANGE_TIMES[place] > 1 else ""
    if area == PURPLE:
        return "<" if place else ""
    numbers = {YELLOW: YELLOW_NUMBERS, BLUE: BLUE_NUMBERS, GREEN: GREEN_NUMBERS}[area]
    return f"≥{numbers[place]}" if area == GREEN else str(numbers[place])


def _cell(state: State, player: int, box: int) -> str:
    inside = content(state, player, box)
    return f"[{inside}]" if inside else (printed(box) or "-")


def _sheet(state: State, player: int) -> list[str]:
    points = [int(points_of(state, player, area)) for area in range(5)]
    kept = ", ".join(f"{name} {state[name][player]}" for name in KEPT)
    lines = [f"{SEATS[player]}: {score(state, player)} points; {kept}"]
    for row in range(4):
        yellow = [_cell(state, player, 4 * row + i) for i in range(4)]
        line = f"{AREAS[YELLOW] if row == 0 else '':8}{''.join(f'{cell:>5}' for cell in yellow)}"
        line += f"  {SHORT[BONUSES[YELLOW_ROWS[row]]]:4}"
        if row < 3:
            blue = [_cell(state, player, FIRST[BLUE] + 4 * row + i) for i in range(4)]
            line += f"{AREAS[BLUE] if row == 0 else '':6}{''.join(f'{cell:>5}' for cell in blue)}"
            line += f"  {SHORT[BONUSES[BLUE_ROWS[row]]]}"
        else:
            line += f"{'':6}{''.join(f'{SHORT[BONUSES[bonus]]:>5}' for bonus in BLUE_COLUMNS)}"
            line += f"  = {points[BLUE]}"
        lines.append(line)
    lines.append(f"{'':8}{''.join(f'{number:>5}' for number in YELLOW_COLUMNS)}  = {points[YELLOW]}")
    for area in (GREEN, ORANGE, PURPLE):
        boxes = [f"{_cell(state, player, FIRST[area] + i):>5}" for i in range(ROW)]
        lines.append(f"{AREAS[area]:8}{''.join(boxes)}  = {points[area]}")
        bonuses = [SHORT[BONUSES[ROW_BONUSES[area].get(i + 1, 0)]] for i in range(ROW)]
        lines.append(f"{'':8}{''.join(f'{bonus:>5}' for bonus in bonuses)}".rstrip())
    return lines


def text(state: State) -> str:
    """The dice, and every player's sheet: what is in brackets has been entered, what is below or beside are bonuses."""
    lines = [headline(state)]
    if state.phase != FREE_ENTRY:
        lines.append("  ".join(f"{name} {state.dice[die]} ({_place(state, die)})" for die, name in enumerate(DICE)))
    if state.owed:
        lines.append(_owed(state))
    for player in range(state.players):
        lines += ["", *_sheet(state, player)]
    return "\n".join(lines)


def _at(box: int) -> tuple[int, int]:
    """Where a box is drawn: yellow and blue beside each other, the rows below."""
    area, place = int(AREA[box]), box - FIRST[AREA[box]]
    step = SIZE + GAP
    if area in (YELLOW, BLUE):
        left = EDGE if area == YELLOW else EDGE + 6 * step
        return left + place % 4 * step, 100 + place // 4 * step
    return EDGE + place * step, 290 + (area - GREEN) * (step + 28)


def _text(x: float, y: float, words: str, size: int = 13, anchor: str = "middle") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def _rectangle(x: float, y: float, fill: str, opacity: float = 1.0, size: int = SIZE) -> str:
    look = f'fill="{fill}" fill-opacity="{opacity}" stroke="#444"'
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{size}" height="{size}" rx="5" {look}/>'


def _bonuses() -> list[str]:
    """The bonuses that are printed beside and below the boxes."""
    step, parts = SIZE + GAP, []
    for row in range(4):
        parts.append(_text(EDGE + 4 * step + 16, 100 + row * step + 22, SHORT[BONUSES[YELLOW_ROWS[row]]]))
        parts.append(_text(EDGE + row * step + SIZE / 2, 100 + 4 * step + 14, str(YELLOW_COLUMNS[row])))
        below = SHORT[BONUSES[BLUE_COLUMNS[row]]]
        parts.append(_text(EDGE + (6 + row) * step + SIZE / 2, 100 + 3 * step + 14, below))
        if row < 3:
            parts.append(_text(EDGE + 10 * step + 16, 100 + row * step + 22, SHORT[BONUSES[BLUE_ROWS[row]]]))
    for area, bonuses in ROW_BONUSES.items():
        for place, bonus in bonuses.items():
            x, y = _at(FIRST[area] + place - 1)
            parts.append(_text(x + SIZE / 2, y + SIZE + 15, SHORT[BONUSES[bonus]], 12))
    return parts


def svg(state: State) -> str:
    """The dice and the sheets as a picture; the sheets are below each other."""
    height = HEIGHT * int(state.players)
    head = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {head} role="img">', f"<title>{headline(state)}</title>"]
    for player in range(state.players):
        kept = ", ".join(f"{name} {state[name][player]}" for name in KEPT)
        parts.append(f'<g transform="translate(0 {player * HEIGHT})">')
        parts.append(_text(EDGE, 22, f"{SEATS[player]}: {score(state, player)} points; {kept}", 15, "start"))
        if player == state.turn and state.phase != FREE_ENTRY:
            for die in range(len(DICE)):
                x = EDGE + die * (SIZE + GAP)
                parts.append(_rectangle(x, 38, FILL[die], 0.35 if _place(state, die) == "tray" else 1.0))
                parts.append(_text(x + SIZE / 2, 61, str(state.dice[die]), 17))
            parts.append(_text(EDGE + 6 * (SIZE + GAP) + 8, 60, headline(state), 11, "start"))
        parts += _bonuses()
        for box in range(BOXES):
            x, y = _at(box)
            inside = content(state, player, box)
            parts.append(_rectangle(x, y, FILL[AREA[box]], 1.0 if inside else 0.4))
            words = inside or printed(box).replace("<", "&lt;")
            parts.append(_text(x + SIZE / 2, y + 22, words, 17 if inside else 12))
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])
