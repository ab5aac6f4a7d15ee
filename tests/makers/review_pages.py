"""What is on show on the page of a review, for tests that look at it in a browser."""

from __future__ import annotations

from tests.makers.browsers import Look

HOSTILE = ["<script>document.title='owned'</script>", "\"'><img src=x onerror=alert(1)>", "\u202eevil\u2066", "مرحبا"]

SHOWN = """() => [
    Number(document.querySelector("select[aria-label='Round']").value),
    [...document.querySelectorAll("[aria-label='Whose view'] button")].findIndex((each) => each.ariaPressed === "true"),
    Number(document.querySelector("input[type=range]").value),
]"""


def place(look: Look) -> tuple[int, int, int]:
    """What is on show: the place of the round, the seat, the step."""
    return tuple(look.page.evaluate(SHOWN))


def place_of(decision: dict) -> tuple[int, int, int]:
    """Where a decision was asked."""
    return decision["round"], decision["seat"], decision["step"]


def go(look: Look, decision: dict) -> None:
    """Follows the link to a decision."""
    address = f"#{decision['game_id']}-{decision['round_index']}-{decision['seat']}-{decision['step']}"
    look.page.evaluate("(address) => { location.hash = address; }", address)
    look.page.locator(f".permalink[href='{address}']").first.wait_for()


def errors_of(data: dict, name: str, least: float = 0.05) -> list[dict]:
    """The decisions that cost a player so much, in order."""
    return [each for each in data["decisions"] if each["player"] == name and each["loss"] >= least]
