// The table as one seat sees it. It is given what is to be seen, and knows neither rules nor reviews.

import { cardBacks, cardNames, cardRow } from "./cards.js";
import { el, spoken } from "./dom.js";
import { isolated, text } from "./texts.js";

export const PLACES = ["me", "right", "partner", "left"];
const CALLS = ["", "call.small", "call.grand"];

/**
 * Draws a table. `table` has
 * - `seats`: four of {name, count, cards (labels, or null: face down), points, call, out, next, passed, marks}, the own
 *   seat first, then right opponent, partner, left opponent,
 * - `trick`: [{name, cards}] in order, without passes,
 * - `wish`: the text of an open wish, or null,
 * - `event`: what has just happened, `note`: more about it, or null.
 */
export function drawBoard(table) {
  return el(
    "div",
    { class: "board" },
    ...[2, 3, 1].map((place) => drawSeat(table.seats[place], PLACES[place])),
    drawTrick(table),
    drawSeat(table.seats[0], PLACES[0]),
  );
}

function drawSeat(seat, place) {
  const facts = [
    el("strong", null, isolated(seat.name)),
    el("span", { class: "where" }, text(`place.${place}`)),
    seat.call > 0 && el("span", { class: "call" }, text(CALLS[seat.call])),
    seat.out > 0
      ? el("span", null, text("seat.out", { place: seat.out }))
      : el("span", null, text(seat.count === 1 ? "seat.card" : "seat.cards", { count: seat.count })),
    el("span", null, text("seat.points", { points: seat.points })),
    seat.passed && el("span", { class: "passed" }, text("seat.passed")),
    seat.next && el("span", { class: "turn" }, text("seat.turn")),
  ];
  const size = place === "me" ? "large" : "small";
  const name = text("seat.hand", { name: seat.name });
  const hand = seat.cards ? cardRow(seat.cards, { name, size, marks: seat.marks }) : cardBacks(seat.count);
  return el(
    "section",
    { class: `seat ${place} ${seat.next ? "next" : ""}`, "aria-label": seat.name },
    el("p", { class: "facts" }, ...facts),
    hand,
  );
}

function drawTrick(table) {
  const plays = table.trick.map(({ name, cards }, at) => {
    const last = at === table.trick.length - 1;
    const size = last ? "" : "small";
    return el(
      "li",
      { class: last ? "top" : "" },
      el("span", { class: "who" }, isolated(name)),
      cardRow(cards, { name: cardNames(cards), size }),
    );
  });
  return el(
    "section",
    { class: "trick", "aria-label": text("trick.title") },
    el("p", { class: "event" }, table.event),
    table.note && el("p", { class: "note" }, table.note),
    table.wish && el("p", { class: "wish" }, table.wish),
    plays.length ? el("ol", { class: "plays" }, ...plays) : spoken(text("trick.empty")),
  );
}
