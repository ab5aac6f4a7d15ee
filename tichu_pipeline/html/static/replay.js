// What a seat sees after a step of a logged round. Steps say what has changed; nothing here knows the rules.

import { cardNames, rankText } from "./cards.js";
import { text } from "./texts.js";

const RANKS = ["", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A"];
const TO = ["right", "partner", "left"];
const EXCHANGED = 3; // the step after schupfen

/** A rank 2..14 as it is written. */
export function wishText(rank) {
  return rank >= 2 ? rankText(RANKS[rank]) : text("answer.nowish");
}

/** What is known after a step: trick, next, points, calls, places, wish, and the cards that each seat holds. */
export function factsAt(round, step) {
  const facts = { points: [0, 0, 0, 0], calls: [0, 0, 0, 0], places: [0, 0, 0, 0], wish: 0, trick: [], next: null };
  const dealt = round[step === 0 ? "first" : step < EXCHANGED ? "start" : "hands"];
  const hands = dealt.map((cards) => new Set(cards));
  for (const each of round.steps.slice(0, step + 1)) {
    Object.assign(facts, each);
    if (each.event === "play") for (const card of each.cards) hands[each.seat].delete(card);
  }
  return { ...facts, ...round.steps[step], hands: hands.map((cards) => [...cards]) };
}

/** What has happened in a step, in words. */
export function eventText(round, step) {
  const now = round.steps[step];
  const name = now.seat === undefined ? "" : round.players[now.seat];
  const values = { name };
  if (now.event === "play") values.cards = cardNames(now.cards);
  if (now.event === "wish") values.rank = wishText(now.wished);
  if (now.event === "take" && now.to !== undefined) return text("event.gift", { name, to: round.players[now.to] });
  if (now.event === "wish" && !now.wished) return text("event.nowish", values);
  if (now.event === "end")
    Object.assign(values, { first: now.score[0], second: now.score[1], teams: teamsText(round) });
  return text(`event.${now.event}`, values);
}

/** The two teams, team 20 first. */
export function teamsText(round) {
  const [a, b, c, d] = round.players;
  return text("event.teams", { a, b: c, c: b, d });
}

/** What a seat gave and got, from the exchange to the first play. */
function exchangeText(round, step, seat) {
  if (step !== EXCHANGED) return null;
  const name = (to) => round.players[(seat + 1 + to) % 4];
  const gave = TO.map((_, to) => text("note.card", { card: cardNames([round.given[seat][to]]), name: name(to) }));
  const got = TO.map((_, to) =>
    text("note.card", { card: cardNames([round.given[(seat + 1 + to) % 4][2 - to]]), name: name(to) }),
  );
  return text("note.exchange", { gave: gave.join(", "), got: got.join(", ") });
}

/** A table for `drawBoard`, seen by a seat. `open` shows all hands, `marks` gives classes to own cards. */
export function tableAt(round, step, seat, { open = false, marks = {} } = {}) {
  const facts = factsAt(round, step);
  const lying = facts.trick.filter(([, cards]) => cards.length);
  const sinceTop = facts.trick.slice(facts.trick.lastIndexOf(lying.at(-1)) + 1);
  const passed = new Set(sinceTop.map(([who]) => who));
  const seats = [0, 1, 2, 3].map((place) => {
    const who = (seat + place) % 4;
    return {
      name: round.players[who],
      count: facts.hands[who].length,
      cards: open || place === 0 ? facts.hands[who] : null,
      points: facts.points[who],
      call: facts.calls[who],
      out: facts.places[who],
      next: facts.next === who,
      passed: passed.has(who),
      marks: place === 0 ? marks : {},
    };
  });
  return {
    seats,
    trick: lying.map(([who, cards]) => ({ name: round.players[who], cards })),
    wish: facts.wish >= 2 ? text("trick.wish", { rank: wishText(facts.wish) }) : null,
    event: eventText(round, step),
    note: exchangeText(round, step, seat),
  };
}
