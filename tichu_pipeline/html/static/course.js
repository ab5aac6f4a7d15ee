// The round on show as a whole: its graph, and the list of its decisions.

import { answerWords, verdictOf } from "./answers.js";
import { roundGraph } from "./charts.js";
import { el } from "./dom.js";
import { eventText } from "./replay.js";
import { number, signed, text } from "./texts.js";

const LEAST_WIDTH = 300; // pixels

/** The graph of the expected result of the team of the seat on show. */
export function drawCourse(page) {
  const { round, state } = page;
  const team = state.seat % 2;
  const values = page.ofRound[state.round]
    .filter((each) => !page.asks(each))
    .map((each) => {
      const sign = each.seat % 2 === team ? 1 : -1;
      const given = each.options.find((option) => JSON.stringify(option.answer) === JSON.stringify(each.answer));
      const [low, high] = given.interval;
      return {
        step: each.step,
        value: sign * given.value,
        low: sign * low,
        high: sign * high,
        own: each.seat === state.seat,
        error: each.loss > 0 && each.loss >= state.least,
      };
    });
  const luck = round.luck === null ? null : (team ? -1 : 1) * round.luck;
  const result = page.resultOf(round);
  const names = { a: round.players[state.seat], b: round.players[(state.seat + 2) % 4] };
  const figures = { ...names, luck: luck === null ? "?" : signed(luck), result: signed(result) };
  return el(
    "section",
    { class: "graphs" },
    el("h3", null, text("graph.title", names)),
    roundGraph({
      ...{ width: Math.max(LEAST_WIDTH, page.parts.course.clientWidth - 2), steps: round.steps.length, at: state.step },
      ...{ values, luck, result, title: text("graph.spoken", figures), pick: (step) => page.show({ step }) },
      calls: callsOf(round),
      tricks: tricksOf(round, team),
    }),
    el("p", { class: "note" }, text("graph.note", figures)),
  );
}

function callsOf(round) {
  let before = [0, 0, 0, 0];
  return round.steps.flatMap(({ calls }, step) => {
    const made = calls
      ? calls.flatMap((call, seat) =>
          call > before[seat] ? [{ step, name: round.players[seat], grand: call === 2 }] : [],
        )
      : [];
    before = calls ?? before;
    return made;
  });
}

/** Tricks with the team that took them, and the points in them as far as the replay tells. */
function tricksOf(round, team) {
  const tricks = [];
  let from = null;
  let before = 0;
  const sum = (points) => points.reduce((a, b) => a + b, 0);
  round.steps.forEach(({ event, seat, to, points }, step) => {
    if (event === "play") from ??= step;
    if (event !== "take") return;
    const worth = points ? sum(points) - before : 0;
    before = points ? sum(points) : before;
    tricks.push({ from, to: step, own: (to ?? seat) % 2 === team, points: worth });
    from = null;
  });
  return tricks;
}

/** The decisions of the seat on show in this round. Turns on which there was nothing to decide are folded. */
export function drawList(page) {
  const { round, state, review } = page;
  const name = round.players[state.seat];
  const judged = review.players.some((player) => player.name === name);
  const own = page.ofSeat();
  const decided = new Set(own.filter((each) => each.kind === "play").map((each) => each.step));
  const turns = round.steps.flatMap((each, step) =>
    each.seat === state.seat && ["play", "pass"].includes(each.event) && !decided.has(step - 1)
      ? [{ ...each, step }]
      : [],
  );
  const here = (step) => (step === state.step ? "true" : null);
  const items = own.map((each) =>
    el(
      "li",
      {
        class: page.asks(each) || each.loss === 0 || each.loss < state.least ? "" : each.certain ? "certain" : "likely",
      },
      el(
        "a",
        { href: page.linkToDecision(each), "aria-current": here(each.step) },
        text(`kind.${each.kind}`),
        page.asks(each) ? "" : `: ${answerWords(each, each.answer, round)}`,
        !page.asks(each) &&
          each.loss > 0 &&
          each.loss >= state.least &&
          el("span", { class: "cost" }, ` ${verdictOf(each)}`),
      ),
    ),
  );
  return el(
    "section",
    { class: "list" },
    el("h3", null, text("list.title", { name })),
    judged ? el("ol", null, ...items) : el("p", null, text("list.unjudged", { name })),
    turns.length > 0 &&
      judged &&
      el(
        "details",
        { class: "forced" },
        el(
          "summary",
          null,
          text("list.forced", {
            turns: number(turns.length),
            forced: number(turns.filter((each) => each.forced).length),
          }),
        ),
        el(
          "ol",
          null,
          ...turns.map((each) =>
            el(
              "li",
              null,
              el("a", { href: page.linkTo(round, state.seat, each.step - 1) }, eventText(round, each.step)),
            ),
          ),
        ),
      ),
  );
}
