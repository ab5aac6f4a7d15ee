// Cards: how they are named, drawn and ordered. A colour is told by a shape as well.
// Labels are those of the logs: S9, B10, RB, GA, Hu, Ma, Ph, Dr.

import { el, svg } from "./dom.js";
import { text } from "./texts.js";

const SPECIAL = new Set(["Hu", "Ma", "Ph", "Dr"]);
const PICTURE = new Set(["B", "D", "K", "A"]);
const MANY = 4;
const WIDTH = 60;
const HEIGHT = 84;

// Drawn in a box of 24 by 24.
const SHAPES = {
  S: () => [svg("path", { d: "M12 0 20.5 12 12 24 3.5 12z" })],
  B: () => [svg("circle", { cx: 12, cy: 12, r: 10 })],
  G: () => [svg("path", { d: "M12 1.5 23.5 22 .5 22z" })],
  R: () => [svg("path", { d: "M12 .5 15 8.7 23.7 9 16.8 14.3 19.2 22.7 12 17.8 4.8 22.7 7.2 14.3 .3 9 9 8.7z" })],
  Hu: () => [
    svg("ellipse", { cx: 12, cy: 17, rx: 6, ry: 5 }),
    ...[
      [4.5, 10.5],
      [9.2, 6],
      [14.8, 6],
      [19.5, 10.5],
    ].map(([cx, cy]) => svg("circle", { cx, cy, r: 2.6 })),
  ],
  Ma: () =>
    [5, 10.5, 16].flatMap((x) => [1, 9, 17].map((y) => svg("rect", { x, y, width: 3.4, height: 6.4, rx: 1.5 }))),
  Ph: () => [
    svg("path", { d: "M12 23C8 18 2 16 .5 5c5 2 8.500 4 11.500 8.500C15 9 18.500 7 23.500 5 22 16 16 18 12 23z" }),
    svg("circle", { cx: 12, cy: 6.5, r: 3 }),
  ],
  Dr: () => [
    svg("path", { class: "line", d: "M3 21c8 3 11-4 6-8S6 2 14 4s6 9 1 9" }),
    svg("path", { d: "M17 16.500 9.500 13 17 9.500z" }),
  ],
};

/** The drawings that cards refer to; a page needs them once. */
export function cardShapes() {
  const symbols = Object.entries(SHAPES).map(([name, shape]) =>
    svg("symbol", { id: `shape-${name}`, viewBox: "0 0 24 24" }, ...shape()),
  );
  return svg("svg", { class: "shapes", "aria-hidden": "true", width: 0, height: 0 }, ...symbols);
}

function kindOf(label) {
  return SPECIAL.has(label) ? label : label[0];
}

/** A rank as it stands on a card. */
export function rankText(rank) {
  return PICTURE.has(rank) ? text(`rank.${rank}`) : rank;
}

/** A card in words. */
export function cardName(label) {
  if (SPECIAL.has(label)) return text(`card.${label}`);
  const rank = label.slice(1);
  return text("card.named", {
    colour: text(`colour.${label[0]}`),
    rank: PICTURE.has(rank) ? text(`rankname.${rank}`) : rank,
  });
}

/** Cards in words. */
export function cardNames(labels) {
  return labels.map(cardName).join(", ");
}

/** Cards in fewer words: of many the ranks alone. */
export function fewWords(labels) {
  if (labels.length <= MANY) return cardNames(labels);
  return labels.map((label) => (SPECIAL.has(label) ? cardName(label) : rankText(label.slice(1)))).join(" ");
}

/** The face of a card. */
export function cardFace(label, properties = {}) {
  const kind = kindOf(label);
  const corner = SPECIAL.has(label) ? text(`rank.${label}`) : rankText(label.slice(1));
  const shape = (x, y, size) => svg("use", { href: `#shape-${kind}`, x, y, width: size, height: size });
  const shapes = SPECIAL.has(label) ? [shape(15, 36, 36)] : [shape(6, 31, 17), shape(27, 44, 27)];
  const { class: extra = "", ...rest } = properties;
  return svg(
    "svg",
    {
      class: `card ${SPECIAL.has(label) ? "special" : `colour-${kind}`} ${extra}`,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": cardName(label),
      ...rest,
    },
    svg("rect", { class: "face", x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 7 }),
    svg(
      "text",
      {
        x: corner.length > 1 ? 3 : 6,
        y: 26,
        textLength: corner.length > 1 ? 27 : null,
        lengthAdjust: "spacingAndGlyphs",
      },
      corner,
    ),
    ...shapes,
  );
}

/** The back of a card. */
export function cardBack() {
  return svg(
    "svg",
    { class: "card back", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    svg("rect", { class: "face", x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 7 }),
    svg("rect", { class: "pattern", x: 8, y: 8, width: WIDTH - 16, height: HEIGHT - 16, rx: 4 }),
  );
}

/** Cards side by side, which overlap where there is no room. `marks` gives classes by label. */
export function cardRow(labels, { name, size = "", marks = {} } = {}) {
  const items = labels.map((label) => el("li", { class: marks[label] ?? "" }, cardFace(label)));
  return el("ul", { class: `cards ${size}`, "aria-label": name }, ...items);
}

/** So many cards face down. */
export function cardBacks(count) {
  const items = Array.from({ length: count }, () => el("li", null, cardBack()));
  return el("ul", { class: "cards tiny", "aria-hidden": "true" }, ...items);
}
