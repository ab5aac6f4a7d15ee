// The words of a page in its language, and how numbers are written in it.

// Values of texts that come from logs.
const NAMES = new Set(["name", "to", "a", "b", "c", "d", "file", "game"]);

let words = {};
let comma = ".";

/** Sets the dictionary of texts. All other functions of this module need it. */
export function speak(texts) {
  words = texts;
  comma = texts["number.comma"];
}

/** A text by its key; `{name}` in it becomes the value of that name. */
export function text(key, values = {}) {
  if (!(key in words)) throw new Error(`no text '${key}'`);
  return words[key].replace(/\{(\w+)\}/g, (_, name) =>
    NAMES.has(name) ? isolated(values[name]) : String(values[name]),
  );
}

/** A number with so many digits after the point. */
export function number(value, digits = 0) {
  const written = Math.abs(value).toFixed(digits).replace(".", comma);
  return (value < 0 && Number(value.toFixed(digits)) !== 0 ? "\u2212" : "") + written;
}

/** Points that were lost: small ones more exactly. */
export function amount(points) {
  return number(points, points < 9.95 ? 1 : 0);
}

/** A number with its sign, + as well. */
export function signed(value, digits = 0) {
  return (Number(value.toFixed(digits)) > 0 ? "+" : "") + number(value, digits);
}

/** A share in percent. */
export function percent(share) {
  const whole = share > 0 && share < 0.005 ? "<1" : (100 * share).toFixed(0);
  return `${whole}\u00a0%`;
}

/** A name that cannot change the direction of the text around it. */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}
