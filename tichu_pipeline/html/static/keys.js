// Keys and links: how they move what is on show.

const ACTIONS = {
  ArrowLeft: (page) => page.move(-1),
  ArrowRight: (page) => page.move(1),
  Home: (page) => page.show({ step: 0 }),
  End: (page) => page.show({ step: page.round.steps.length - 1 }),
  n: (page) => page.moveError(1),
  p: (page) => page.moveError(-1),
  "[": (page) => page.moveRound(-1),
  "]": (page) => page.moveRound(1),
  s: (page) => page.show({ seat: (page.state.seat + 1) % 4 }),
  a: (page) => page.show({ open: !page.state.open }),
  t: (page) => page.show({ tries: !page.state.tries }),
};

/** Whether a field has a meaning of its own for a key: lists for all, the slider for arrows. */
function isTaken(field, key) {
  return field !== null && (field.tagName === "SELECT" || key.length > 1);
}

/** Lets keys and links move a page. Keys of the browser are left alone; some keyboards need AltGr for brackets. */
export function listen(page) {
  document.addEventListener("keydown", (event) => {
    const action = ACTIONS[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    const written = event.key === "[" || event.key === "]";
    const modified = event.metaKey || (!written && (event.ctrlKey || event.altKey));
    if (!action || modified || isTaken(event.target.closest("select, input"), event.key)) return;
    event.preventDefault();
    action(page);
  });
  const follow = (hash) => {
    if (!page.follow(hash)) return;
    document.getElementById("table").scrollIntoView();
    document.querySelector(".decision h3")?.focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", (event) => follow(new URL(event.newURL).hash));
  document.addEventListener("click", (event) => {
    const { hash } = event.target.closest("a") ?? {};
    if (hash && hash === location.hash) follow(hash); // the browser would do nothing
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) page.draw();
    width = window.innerWidth;
  });
}
