// The page of a player's year: what was lost by kind, partner, month and year, and how far players differ.

import { answerWords } from "./answers.js";
import { whiskers } from "./charts.js";
import { el } from "./dom.js";
import { sentence } from "./summary.js";
import { amount, isolated, number, percent, speak, text } from "./texts.js";

function rangeText([low, high], digits = 1) {
  return text("interval", { low: number(low, digits), high: number(high, digits) });
}

/** A table of losses: `rows` are [{name, part, look}]. That of kinds has no rounds, and how others compare. */
function lossTable(heading, rows, ofKinds = false, compared = false) {
  const ends = rows.flatMap(({ part }) => [part.loss, part.interval?.[1] ?? 0, part.deciles?.[8] ?? 0]);
  const max = Math.max(1, ...ends);
  const drawn = rows.map(({ name, part, look }) => {
    const { loss, interval, deciles } = part;
    const seen = interval !== null && interval[0] > 0;
    return el(
      "tr",
      { class: look },
      el("th", { scope: "row" }, name),
      !ofKinds && el("td", null, String(part.rounds)),
      el("td", null, String(part.open)),
      el("td", { class: "wide" }, whiskers(loss, ...(interval ?? [loss, loss]), max, seen, deciles)),
      el("td", null, number(loss, 1)),
      el("td", { class: "narrow" }, interval ? rangeText(interval) : ""),
      compared && el("td", { class: "narrow" }, part.lose_more ? shareText(part.lose_more) : ""),
    );
  });
  const headings = [heading, !ofKinds && text("year.rounds"), text("kinds.open")].filter(Boolean);
  const cells = headings.map((words) => el("th", { scope: "col" }, words));
  cells.push(el("th", { scope: "col", colspan: 3 }, text("kinds.loss")));
  if (compared) cells.push(el("th", { scope: "col" }, text("year.more")));
  return el("table", null, el("thead", null, el("tr", null, ...cells)), el("tbody", null, ...drawn));
}

function shareText([low, high]) {
  return low === high ? percent(low) : text("interval", { low: number(100 * low), high: percent(high) });
}

function section(look, title, ...children) {
  return el("section", { class: look }, el("h2", null, title), ...children);
}

function drawTop(year) {
  const { rounds, loss, interval } = year.all;
  const whole = { rounds, games: year.games, loss: number(loss, 1), interval: interval ? rangeText(interval) : "–" };
  const { players, enough } = year.corpus;
  return el(
    "div",
    { class: "summary" },
    el("p", { class: "sentence" }, sentence(year)),
    el("p", null, text("year.loss", whole)),
    enough && year.all.lose_more
      ? el("p", null, text("year.compared", { share: shareText(year.all.lose_more), players }))
      : el("p", { class: "note" }, text("year.alone", year.corpus)),
  );
}

function drawKinds(year) {
  const kinds = Object.entries(year.by_kind).map(([kind, part]) => ({ name: text(`kind.${kind}`), part }));
  const rows = [...kinds, { name: text("kind.all"), part: year.all, look: "row-all" }];
  const compared = year.corpus.enough;
  return section(
    "kinds",
    text("kinds.title"),
    lossTable(text("kinds.kind"), rows, true, compared),
    el("p", { class: "note" }, `${text("kinds.note")} ${compared ? text("year.band", year.corpus) : ""}`),
    compared && drawDeciles(rows),
  );
}

function drawDeciles(rows) {
  const tenths = Array.from({ length: 9 }, (_, at) => el("th", { scope: "col" }, percent((at + 1) / 10)));
  const drawn = rows
    .filter(({ part }) => part.deciles)
    .map(({ name, part, look }) =>
      el(
        "tr",
        { class: look },
        el("th", { scope: "row" }, name),
        ...part.deciles.map((points) => el("td", null, number(points, 1))),
      ),
    );
  const heading = el("tr", null, el("th", { scope: "col" }, text("kinds.kind")), ...tenths);
  const table = el("table", null, el("thead", null, heading), el("tbody", null, ...drawn));
  return el(
    "details",
    { class: "deciles" },
    el("summary", null, text("year.deciles")),
    el("p", { class: "note" }, text("year.tenths")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": text("year.deciles") }, table),
  );
}

function drawPartners(year) {
  const rows = year.by_partner.map((part) => ({
    name: part.partner === null ? text("year.others", { count: part.partners }) : isolated(part.partner),
    part,
  }));
  return section("partners", text("year.partners"), lossTable(text("year.partner"), rows));
}

function drawTimes(year) {
  const months = year.by_month.map((part) => ({ name: part.month, part }));
  const years = year.by_year.map((part) => ({ name: String(part.year), part }));
  return [
    section("months", text("year.months"), lossTable(text("year.month"), months)),
    years.length > 1 && section("years", text("year.years"), lossTable(text("year.year"), years)),
  ];
}

function drawCostliest(year) {
  const items = year.costliest.map((each) => {
    const half = (each.interval[1] - each.interval[0]) / 2;
    const cost = { loss: amount(each.loss), half: amount(half) };
    const words = (answer) => answerWords(each, answer, each);
    const place = { month: each.month, game: String(each.game_id), round: each.round_index + 1 };
    return el(
      "li",
      null,
      el("strong", null, text(each.certain ? "costliest.certain" : "costliest.likely", cost)),
      ` ${text("year.place", place)}, ${text(`kind.${each.kind}`)}: `,
      text("costliest.instead", { answer: words(each.answer), best: words(each.best) }),
    );
  });
  return section(
    "costliest",
    text("costliest.title"),
    items.length ? el("ol", null, ...items) : el("p", null, text("costliest.none")),
    items.length > 0 && el("p", { class: "note" }, text("year.again")),
  );
}

function drawSources(year) {
  const missing = year.left_out.length > 0;
  return el(
    "footer",
    null,
    missing && el("p", { class: "missing" }, text("year.left", { months: year.left_out.join(", ") })),
    el("p", null, text("year.referee", { agent: year.referee.agent, months: year.months.join(", ") })),
    el("p", null, text("how")),
  );
}

const { texts, year } = JSON.parse(document.getElementById("year-data").textContent);
speak(texts);
document.body.append(
  el(
    "main",
    { class: "year" },
    el("h1", null, text("year.title", { name: year.player, year: year.year })),
    drawTop(year),
    drawKinds(year),
    drawPartners(year),
    ...drawTimes(year).filter(Boolean),
    drawCostliest(year),
    drawSources(year),
  ),
);
