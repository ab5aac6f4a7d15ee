// What one presses: players, steps, errors, rounds, seats, switches. The elements stay, so that focus stays on them.

import { el, toggle } from "./dom.js";
import { isolated, text } from "./texts.js";

const THRESHOLDS = [0, 5, 10, 20, 50];

/** The controls of a page: `players` and `bar` are elements, `update` makes them agree with what is on show. */
export function drawControls(page) {
  const players = page.review.players.map(({ name }) => toggle(isolated(name), false, () => page.showPlayer(name)));
  const step = (key, label, action) =>
    el("button", { type: "button", "aria-label": text(key), title: text(key), onclick: action }, label);
  const back = step("step.back", "‹", () => page.move(-1));
  const on = step("step.on", "›", () => page.move(1));
  const former = el("button", { type: "button", onclick: () => page.moveError(-1) }, text("error.former"));
  const next = el("button", { type: "button", onclick: () => page.moveError(1) }, text("error.next"));
  const roundBack = step("round.back", "«", () => page.moveRound(-1));
  const roundOn = step("round.on", "»", () => page.moveRound(1));
  const slider = el("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": text("slider"),
    oninput: () => page.show({ step: Number(slider.value) }),
  });
  const rounds = el("select", {
    "aria-label": text("rounds"),
    onchange: () => page.showRound(Number(rounds.value), 0),
  });
  rounds.append(...page.review.rounds.map((_, place) => el("option", { value: place })));
  const least = el(
    "select",
    { id: "least", onchange: () => page.show({ least: Number(least.value) }) },
    ...THRESHOLDS.map((points) =>
      el("option", { value: points }, points ? text("least.points", { points }) : text("least.all")),
    ),
  );
  const seats = [0, 1, 2, 3].map((seat) => toggle("", false, () => page.show({ seat })));
  const open = toggle(text("switch.open"), false, () => page.show({ open: !page.state.open }));
  const tries = toggle(text("switch.tries"), false, () => page.show({ tries: !page.state.tries }));
  const keys = Object.entries({ "← →": "steps", "n p": "errors", "[ ]": "rounds", s: "seat", a: "open", t: "tries" });

  const bar = el(
    "div",
    { class: "controls" },
    el("div", { class: "row" }, roundBack, rounds, roundOn),
    el("div", { class: "row steps", role: "group", "aria-label": text("steps.group") }, former, back, slider, on, next),
    el("div", { class: "row" }, el("label", { for: "least" }, text("least.label")), least),
    el(
      "div",
      { class: "row", role: "group", "aria-label": text("seats.group") },
      el("span", { class: "label" }, text("seats.label")),
      ...seats,
    ),
    el("div", { class: "row" }, open, tries),
    el(
      "details",
      { class: "keys" },
      el("summary", null, text("keys.title")),
      el(
        "dl",
        null,
        ...keys.map(([key, name]) => [el("dt", null, el("kbd", null, key)), el("dd", null, text(`keys.${name}`))]),
      ),
    ),
  );

  function update() {
    const { state, round } = page;
    page.review.players.forEach(({ name }, at) =>
      players[at].setAttribute("aria-pressed", String(name === state.name)),
    );
    const listed = JSON.stringify([round.players[state.seat], state.least, state.tries]);
    if (update.listed !== listed) {
      page.review.rounds.forEach((_, place) => {
        rounds.options[place].textContent = page.roundSummary(place);
      });
      update.listed = listed;
    }
    rounds.value = String(state.round);
    slider.max = String(round.steps.length - 1);
    slider.value = String(state.step);
    slider.setAttribute("aria-valuetext", text("slider.value", { step: state.step + 1, steps: round.steps.length }));
    seats.forEach((button, seat) => {
      button.textContent = isolated(round.players[seat]);
      button.setAttribute("aria-pressed", String(seat === state.seat));
    });
    open.setAttribute("aria-pressed", String(state.open));
    tries.setAttribute("aria-pressed", String(state.tries));
  }

  const who = el(
    "nav",
    { class: "players", "aria-label": text("players.group") },
    ...(players.length > 1 ? players : [el("strong", null, isolated(page.review.players[0].name))]),
  );
  return { players: who, bar, update };
}
