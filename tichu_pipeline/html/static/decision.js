// One decision: the answers that were tried, what they are worth, and the question first if one wants to try.

import { answerWords, drawAnswer, isSame, standingOf, verdictOf } from "./answers.js";
import { whiskers } from "./charts.js";
import { el, spoken } from "./dom.js";
import { amount, percent, signed, text } from "./texts.js";

const LEAST_WIDTH = 20; // points that the whole width of a bar stands for at least

/**
 * Draws a decision. `shown` has `round`, `link` (to this decision), `asks` (the answer is still hidden), `chosen` (the
 * answer that was tried first, or undefined) and `choose`, which is called with an answer.
 */
export function drawDecision(decision, shown) {
  const kind = text(`kind.${decision.kind}`);
  return el(
    "section",
    { class: "decision", "aria-label": kind },
    el(
      "h3",
      { tabindex: "-1" },
      kind,
      " ",
      el("a", { class: "permalink", href: shown.link, "aria-label": text("decision.link") }, "#"),
    ),
    ...(shown.asks ? drawQuestion(decision, shown) : drawVerdict(decision, shown)),
  );
}

/** The answers in an order that tells nothing. */
function drawQuestion(decision, { round, choose }) {
  const written = (option) => JSON.stringify(option.answer);
  const options = [...decision.options].sort((a, b) => (written(a) < written(b) ? -1 : 1));
  const buttons = options.map((option) =>
    el(
      "li",
      null,
      el(
        "button",
        { type: "button", class: "choice", onclick: () => choose(option.answer) },
        drawAnswer(decision, option.answer, round),
      ),
    ),
  );
  return [el("p", null, text(`ask.${decision.kind}`)), el("ul", { class: "choices" }, ...buttons)];
}

function drawVerdict(decision, { round, chosen }) {
  const max = Math.max(LEAST_WIDTH, ...decision.options.map((option) => option.behind_interval[1]));
  return [
    chosen !== undefined && el("p", { class: "tried" }, triedText(decision, chosen)),
    el("p", { class: decision.loss > 0 ? "verdict costs" : "verdict" }, verdictOf(decision)),
    decision.beside && drawBeside(decision, round),
    el("ul", { class: "options" }, ...decision.options.map((option) => drawOption(decision, option, round, max))),
  ];
}

/** What is said of an answer that was tried before the page's own was shown. */
export function triedText(decision, chosen) {
  const option = decision.options.find((each) => isSame(each.answer, chosen));
  const standing = standingOf(decision, option);
  if (standing !== "worse") return text(standing === "best" ? "tried.best" : "tried.equal");
  return text("tried.worse", { points: amount(Math.max(option.behind, 0)) });
}

function drawOption(decision, option, round, max) {
  const standing = standingOf(decision, option);
  const given = isSame(option.answer, decision.answer);
  const half = (option.behind_interval[1] - option.behind_interval[0]) / 2;
  const [low, high] = option.interval;
  const behind = standing === "best" ? 0 : option.behind;
  return el(
    "li",
    { class: `option ${standing} ${given ? "given" : ""}` },
    el(
      "div",
      { class: "answer" },
      drawAnswer(decision, option.answer, round),
      given && el("span", { class: "tag" }, text("option.given")),
      standing !== "worse" && el("span", { class: `tag ${standing}` }, text(`option.${standing}`)),
    ),
    el(
      "div",
      { class: "behind" },
      whiskers(
        behind,
        behind && option.behind_interval[0],
        behind && option.behind_interval[1],
        max,
        standing === "worse",
      ),
      el(
        "span",
        { class: "figure" },
        behind ? text("option.behind", { points: amount(behind), half: amount(half) }) : "0",
      ),
    ),
    el(
      "div",
      { class: "facts" },
      text("option.value", { value: signed(option.value), low: signed(low), high: signed(high) }),
      option.policy !== null && [" · ", text("option.share", { share: percent(option.policy) })],
    ),
    spoken("."),
  );
}

/** The verdict of a second referee, and whether the two disagree. */
function drawBeside(decision, round) {
  const { best, loss } = decision.beside;
  const verdict =
    loss > 0
      ? text("beside.loss", { answer: answerWords(decision, best, round), loss: amount(loss) })
      : text("beside.equal");
  return el(
    "p",
    { class: decision.disagree ? "beside differs" : "beside" },
    decision.disagree && `${text("beside.disagree")} `,
    verdict,
  );
}
