// Elements of a page. Text becomes text nodes only, so that no name in a log is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function build(made, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** An HTML element: `el("a", {href: "#1"}, "text", child)`. Properties named `on...` are listeners. */
export function el(tag, properties, ...children) {
  return build(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function svg(tag, properties, ...children) {
  return build(document.createElementNS(SVG, tag), properties, children);
}

/** A button that says whether it is pressed. */
export function toggle(label, pressed, onclick, properties) {
  return el("button", { type: "button", "aria-pressed": pressed ? "true" : "false", onclick, ...properties }, label);
}

/** Text for screen readers alone. */
export function spoken(words) {
  return el("span", { class: "spoken" }, words);
}
