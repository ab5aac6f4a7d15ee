// The top of a review: the one sentence, losses by kind, luck and result, the costliest decisions.

import { answerWords } from "./answers.js";
import { whiskers } from "./charts.js";
import { el } from "./dom.js";
import { amount, number, signed, text } from "./texts.js";

const COSTLIEST = 5;

/** Draws what a player's evening came to. */
export function drawSummary(page, player) {
  const own = page.review.decisions.filter((each) => each.player === player.name);
  return el(
    "div",
    { class: "summary" },
    el("p", { class: "sentence" }, sentence(player)),
    el("div", { class: "columns" }, drawCostliest(page, own), drawKinds(player), drawLuck(player)),
  );
}

/** What a player lost for certain, as anyone understands it. */
export function sentence({ open_decisions: open, certain_errors: certain, evening }) {
  if (!certain) return text("sentence.none", { open });
  const values = { open, certain, lost: number(evening.lost), half: number(evening.half) };
  return text(certain === 1 ? "sentence.one" : "sentence.some", values);
}

function drawCostliest(page, own) {
  const costly = own.filter((each) => each.loss > 0);
  costly.sort((a, b) => b.certain - a.certain || b.loss - a.loss);
  const items = costly.slice(0, COSTLIEST).map((each) => {
    const round = page.review.rounds[each.round];
    const words = (answer) => answerWords(each, answer, round);
    const half = (each.interval[1] - each.interval[0]) / 2;
    return el(
      "li",
      null,
      el(
        "a",
        { href: page.linkToDecision(each) },
        el(
          "strong",
          null,
          text(each.certain ? "costliest.certain" : "costliest.likely", {
            loss: amount(each.loss),
            half: amount(half),
          }),
        ),
        ` ${page.roundText(round)}, ${text(`kind.${each.kind}`)}`,
        !page.asks(each) && `: ${text("costliest.instead", { answer: words(each.answer), best: words(each.best) })}`,
      ),
    );
  });
  return el(
    "section",
    { class: "costliest" },
    el("h2", null, text("costliest.title")),
    items.length ? el("ol", null, ...items) : el("p", null, text("costliest.none")),
  );
}

function drawKinds(player) {
  const kinds = Object.entries(player.by_kind);
  const all = ["all", { open: player.open_decisions, loss: player.loss_per_round, interval: player.interval }];
  const max = Math.max(1, ...[...kinds, all].map(([, part]) => part.interval[1]));
  const rows = [...kinds, all].map(([kind, { open, loss, interval }]) =>
    el(
      "tr",
      { class: `row-${kind}` },
      el("th", { scope: "row" }, text(`kind.${kind}`)),
      el("td", null, String(open)),
      el("td", { class: "wide" }, whiskers(loss, ...interval, max, interval[0] > 0)),
      el("td", null, number(loss, 1)),
      el(
        "td",
        null,
        interval[1] > 0 ? text("interval", { low: number(interval[0], 1), high: number(interval[1], 1) }) : "",
      ),
    ),
  );
  const headings = ["kinds.kind", "kinds.open", "kinds.loss"].map((key, at) =>
    el("th", { scope: "col", colspan: at === 2 ? 3 : null }, text(key)),
  );
  return el(
    "section",
    { class: "kinds" },
    el("h2", null, text("kinds.title")),
    el("table", null, el("thead", null, el("tr", null, ...headings)), el("tbody", null, ...rows)),
    el("p", { class: "note" }, text("kinds.note")),
  );
}

function drawLuck({ rounds, evening, luck_per_round: luck, result_per_round: result }) {
  const row = (key, value, half) =>
    el(
      "tr",
      null,
      el("th", { scope: "row" }, text(key)),
      el("td", null, signed(value)),
      el("td", null, half === null ? "" : `± ${number(half)}`),
    );
  const known = luck !== null;
  const half = known ? evening.half_less_luck : evening.half_result;
  return el(
    "section",
    { class: "luck" },
    el("h2", null, text("luck.title")),
    el(
      "table",
      null,
      el(
        "tbody",
        null,
        row("luck.result", result, evening.half_result),
        known && row("luck.luck", luck, null),
        known && row("luck.less", result - luck, evening.half_less_luck),
      ),
    ),
    el("p", { class: "note" }, half === null ? text("luck.one") : text("luck.says", { rounds, half: number(half) })),
  );
}

/** What was left out, and who the referee was. */
export function drawSources(review) {
  const missing = review.games.flatMap((game) =>
    game.left_out.map(({ round_index: at, reason }) => text("left.out", { file: game.file, round: at + 1, reason })),
  );
  const { beside, ...referee } = review.referee;
  const disagree = review.decisions.filter((each) => each.disagree).length;
  return el(
    "footer",
    null,
    missing.length > 0 && el("ul", { class: "missing" }, ...missing.map((words) => el("li", null, words))),
    el("p", null, text("referee", referee)),
    beside && el("p", null, text("referee.beside", { agent: beside, disagree, decisions: review.decisions.length })),
    el("p", null, text("how")),
  );
}
