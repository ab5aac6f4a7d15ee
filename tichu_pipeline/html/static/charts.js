// Drawings of figures: bars with whiskers, and a round's expected result from step to step.

import { svg } from "./dom.js";
import { isolated, signed, text } from "./texts.js";

const BAR = 200;
const GRAPH_HEIGHT = 210;
const MARGIN = { left: 44, right: 12, top: 22, bottom: 44 };
const LEAST_RANGE = 60; // points above and below 0 that a graph shows at least

/**
 * A bar from 0 to `value` with whiskers from `low` to `high`, where `max` is the whole width. Grey if not `seen`. Behind
 * it `deciles` of others, if there are any: the middle eight tenths of them as a band, and their median.
 */
export function whiskers(value, low, high, max, seen, deciles = null) {
  const at = (points) => (BAR * Math.min(Math.max(points, 0), max)) / max;
  const stroke = { class: "whisker", "vector-effect": "non-scaling-stroke" };
  return svg(
    "svg",
    {
      class: `bar ${seen ? "seen" : "noise"}`,
      viewBox: `0 0 ${BAR} 16`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    deciles && svg("rect", { class: "band", x: at(deciles[0]), y: 0, width: at(deciles[8]) - at(deciles[0]), height: 16 }),
    svg("rect", { class: "amount", x: 0, y: 3, width: at(value), height: 10 }),
    deciles &&
      svg("line", { x1: at(deciles[4]), x2: at(deciles[4]), y1: 0, y2: 16, class: "median", "vector-effect": "non-scaling-stroke" }),
    svg("line", { x1: 0, x2: 0, y1: 0, y2: 16, class: "zero", "vector-effect": "non-scaling-stroke" }),
    svg("line", { x1: at(low), x2: at(high), y1: 8, y2: 8, ...stroke }),
    low > 0 && svg("line", { x1: at(low), x2: at(low), y1: 4, y2: 12, ...stroke }),
    svg("line", { x1: at(high), x2: at(high), y1: 4, y2: 12, ...stroke }),
  );
}

function line(x1, y1, x2, y2, look) {
  return svg("line", { x1, y1, x2, y2, class: look });
}

function label(x, y, words, look, anchor = "middle") {
  return svg("text", { x, y, class: look, "text-anchor": anchor }, words);
}

/**
 * The expected result of a team along a round. `graph` has
 * - `width` in pixels, `steps` (how many), `at` (the step on show), `pick` (called with a step),
 * - `values`: [{step, value, low, high, own, error}], where `own` are those of the seat on show,
 * - `luck` (what the deal was worth, or null) and `result` of the round, `title`,
 * - `calls`: [{step, name, grand}], `tricks`: [{from, to, own, points}].
 */
export function roundGraph(graph) {
  const { width, steps, values, luck, result } = graph;
  const ends = values.flatMap(({ value, low, high, own }) => (own ? [low, high] : [value]));
  const most = Math.max(LEAST_RANGE, ...[...ends, luck ?? 0, result].map(Math.abs)) * 1.06;
  const x = (step) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * step) / Math.max(steps - 1, 1);
  const height = GRAPH_HEIGHT - MARGIN.top - MARGIN.bottom;
  const y = (points) => MARGIN.top + (height * (most - points)) / (2 * most);
  const unit = most > 250 ? 200 : most > 120 ? 100 : 50;
  const grid = [];
  for (let points = -Math.floor(most / unit) * unit; points <= most; points += unit) {
    grid.push(line(MARGIN.left, y(points), width - MARGIN.right, y(points), points ? "grid" : "zero"));
    grid.push(label(MARGIN.left - 6, y(points) + 4, signed(points), "tick", "end"));
  }
  const own = values.filter((each) => each.own);
  const course = [
    luck === null ? null : [0, luck],
    ...own.map(({ step, value }) => [step, value]),
    [steps - 1, result],
  ];
  const path = course.filter(Boolean).map(([step, points]) => `${x(step).toFixed(1)},${y(points).toFixed(1)}`);
  return svg(
    "svg",
    {
      class: "graph",
      width,
      height: GRAPH_HEIGHT,
      viewBox: `0 0 ${width} ${GRAPH_HEIGHT}`,
      role: "img",
      "aria-label": graph.title,
    },
    ...grid,
    ...graph.tricks.map((trick) => trickBand(trick, x)),
    ...graph.calls.map(({ step, name, grand }, at) => [
      line(x(step), MARGIN.top, x(step), GRAPH_HEIGHT - MARGIN.bottom, "call"),
      label(
        x(step) + 3,
        10 + 10 * (at % 2),
        `${text(grand ? "call.grand" : "call.small")} ${isolated(name)}`,
        "call",
        x(step) > width / 2 ? "end" : "start",
      ),
    ]),
    line(x(graph.at), MARGIN.top, x(graph.at), GRAPH_HEIGHT - 14, "now"),
    ...own.map(({ step, low, high }) => line(x(step), y(low), x(step), y(high), "spread")),
    svg("polyline", { class: "course", points: path.join(" ") }),
    ...values.map((each) =>
      svg("circle", {
        class: `value ${each.own ? "own" : "other"} ${each.error ? "error" : ""}`,
        cx: x(each.step),
        cy: y(each.value),
        r: each.own ? (each.error ? 5.5 : 3.5) : 2.5,
        onclick: (event) => {
          event.stopPropagation();
          graph.pick(each.step);
        },
      }),
    ),
    luck !== null && svg("circle", { class: "end", cx: x(0), cy: y(luck), r: 4 }),
    svg("circle", { class: "end", cx: x(steps - 1), cy: y(result), r: 4 }),
    svg("rect", {
      ...{
        class: "picker",
        x: MARGIN.left,
        y: GRAPH_HEIGHT - MARGIN.bottom,
        width: width - MARGIN.left - MARGIN.right,
        height: 26,
      },
      onclick: (event) => {
        const share = (event.offsetX - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
        graph.pick(Math.round(Math.min(Math.max(share, 0), 1) * (steps - 1)));
      },
    }),
    label(MARGIN.left, GRAPH_HEIGHT - 4, text("graph.tricks"), "tick", "start"),
  );
}

function trickBand({ from, to, own, points }, x) {
  const top = GRAPH_HEIGHT - MARGIN.bottom + 6;
  const wide = x(to) - x(from) - 1;
  return [
    svg("rect", {
      class: `taken ${own ? "ours" : "theirs"}`,
      x: x(from),
      y: top,
      width: Math.max(wide, 1),
      height: 16,
    }),
    wide > 24 && points !== 0 && label((x(from) + x(to)) / 2, top + 12, String(points), "points"),
  ];
}
