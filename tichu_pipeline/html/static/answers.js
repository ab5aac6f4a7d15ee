// Answers to questions: in words, and as one sees them.

import { cardName, cardNames, cardRow, fewWords } from "./cards.js";
import { el } from "./dom.js";
import { wishText } from "./replay.js";
import { amount, text } from "./texts.js";

/** Whether two answers are the same. */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The player whom a side means, from a seat. */
function nameOf(round, seat, side) {
  return round.players[(seat + (side === "right" ? 1 : 3)) % 4];
}

/** An answer to a decision in words. */
export function answerWords(decision, answer, round) {
  const { kind, seat } = decision;
  if (kind === "wish") return answer ? text("answer.wish", { rank: wishText(answer) }) : text("answer.nowish");
  if (kind === "dragon") return text("answer.dragon", { name: nameOf(round, seat, answer) });
  if (kind === "schupf") {
    const [right, partner, left] = answer.map(cardName);
    return text("answer.schupf", { right, partner, left });
  }
  if (kind === "play") return answer.length ? fewWords(answer) : text("answer.pass");
  return text(`answer.${kind}.${answer ? "yes" : "no"}`);
}

/** An answer as cards, or in words where there are none. */
export function drawAnswer(decision, answer, round) {
  const words = answerWords(decision, answer, round);
  if (decision.kind === "schupf") {
    const names = [1, 2, 3].map((to) => round.players[(decision.seat + to) % 4]);
    const given = answer.map((card, to) =>
      el(
        "span",
        { class: "gift" },
        cardRow([card], { size: "small", name: text("schupf.to", { name: names[to] }) }),
        el("small", null, names[to]),
      ),
    );
    return el("span", { class: "gifts" }, ...given);
  }
  if (decision.kind === "play" && answer.length) return cardRow(answer, { size: "small", name: cardNames(answer) });
  return el("span", { class: "words" }, words);
}

/** Marks for the own cards: those of the given answer, and those of the best one where it is another. */
export function marksOf(decision) {
  if (!Array.isArray(decision.answer)) return {};
  const marks = {};
  for (const card of decision.answer) marks[card] = "given";
  if (!isSame(decision.answer, decision.best))
    for (const card of decision.best) marks[card] = `${marks[card] ?? ""} best`;
  return marks;
}

/** How an option compares: "best", "equal" (no difference seen) or "worse". */
export function standingOf(decision, option) {
  const isGiven = isSame(option.answer, decision.answer);
  if (isSame(option.answer, decision.best) && decision.loss > 0) return "best";
  if (isGiven) return decision.loss > 0 ? "worse" : "equal";
  return option.behind_interval[0] <= 0 ? "equal" : "worse";
}

/** What a decision cost, in words. */
export function verdictOf(decision) {
  if (decision.loss === 0) return text("verdict.equal");
  const half = (decision.interval[1] - decision.interval[0]) / 2;
  const values = { loss: amount(decision.loss), half: amount(half) };
  return text(decision.certain ? "verdict.certain" : "verdict.likely", values);
}
