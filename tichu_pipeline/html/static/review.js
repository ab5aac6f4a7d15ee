// The page of a review: what is on show, how it is changed by keys, buttons and links, and the parts that show it.

import { answerWords, marksOf, verdictOf } from "./answers.js";
import { drawBoard } from "./board.js";
import { cardShapes } from "./cards.js";
import { drawDecision, triedText } from "./decision.js";
import { el } from "./dom.js";
import { listen } from "./keys.js";
import { eventText, tableAt } from "./replay.js";
import { drawControls } from "./controls.js";
import { drawCourse, drawList } from "./course.js";
import { drawSources, drawSummary } from "./summary.js";
import { isolated, number, signed, speak, text } from "./texts.js";

const LINK_DELAY = 250; // milliseconds after which the address follows; browsers refuse to change it more often
const LEAST = 0.05; // points that a loss must have to be one

/** A review on show: its state, and how it moves. The parts of the page are given it. */
class Page {
  constructor(review) {
    this.review = review;
    this.ofRound = review.rounds.map(() => []); // decisions by the place of their round
    review.decisions.forEach((decision, id) => this.ofRound[decision.round].push(Object.assign(decision, { id })));
    this.several = review.games.length > 1;
    this.state = { name: review.players[0].name, round: 0, step: 0, seat: 0, open: false, tries: false, least: 0 };
    this.tried = new Map(); // decision id: the answer that was tried first
  }

  get round() {
    return this.review.rounds[this.state.round];
  }

  /** The decisions of a seat in the round on show, by default of the seat on show. */
  ofSeat(seat = this.state.seat) {
    return this.ofRound[this.state.round].filter((each) => each.seat === seat);
  }

  /** Those that were asked after a step. */
  at(step = this.state.step, seat = this.state.seat) {
    return this.ofSeat(seat).filter((each) => each.step === step);
  }

  /** Whether the answer to a decision is still to be hidden. */
  asks(decision) {
    return this.state.tries && !this.tried.has(decision.id);
  }

  /** Those decisions of the player on show that cost at least the threshold, in order. */
  errors() {
    const name = this.round.players[this.state.seat];
    const least = Math.max(this.state.least, LEAST);
    return this.review.decisions.filter((each) => each.player === name && each.loss >= least);
  }

  roundText(round) {
    const words = text("round", { number: round.round_index + 1 });
    return this.several ? `${text("game", { game: this.gameKey(round) })}, ${words}` : words;
  }

  gameKey(round) {
    return String(round.game_id ?? round.game);
  }

  linkTo(round, seat, step) {
    return `#${encodeURIComponent(this.gameKey(round))}-${round.round_index}-${seat}-${step}`;
  }

  linkToDecision = (decision) => this.linkTo(this.review.rounds[decision.round], decision.seat, decision.step);

  /** Reads the place from the address; false if there is none. */
  follow(hash) {
    const found = /^#(.+)-(\d+)-([0-3])-(\d+)$/.exec(hash);
    if (!found) return false;
    const [, game, index, seat, step] = found;
    const round = this.review.rounds.findIndex(
      (each) => encodeURIComponent(this.gameKey(each)) === game && each.round_index === Number(index),
    );
    if (round < 0) return false;
    this.show({ round, seat: Number(seat), step: Number(step) });
    return true;
  }

  /** Shows something else: a part of the state. */
  show(changes) {
    Object.assign(this.state, changes);
    this.state.step = Math.min(Math.max(this.state.step, 0), this.round.steps.length - 1);
    const name = this.round.players[this.state.seat];
    if (this.review.players.some((player) => player.name === name)) this.state.name = name;
    this.draw();
  }

  move(steps) {
    this.show({ step: this.state.step + steps });
  }

  /** Another round; the player on show keeps the seat that he has there. */
  moveRound(rounds) {
    const round = this.state.round + rounds;
    if (round >= 0 && round < this.review.rounds.length) this.showRound(round, 0);
  }

  showRound(round, step) {
    const seat = this.review.rounds[round].players.indexOf(this.round.players[this.state.seat]);
    this.show({ round, step, seat: seat < 0 ? this.state.seat : seat });
  }

  showPlayer(name) {
    const seated = (round) => round.players.indexOf(name);
    const round =
      seated(this.round) >= 0 ? this.state.round : this.review.rounds.findIndex((each) => seated(each) >= 0);
    this.show({
      round,
      seat: seated(this.review.rounds[round]),
      step: round === this.state.round ? this.state.step : 0,
    });
  }

  /** The next error, or the former one. */
  moveError(direction) {
    const place = ({ round, step }) => round * 10000 + step;
    const here = place(this.state);
    const errors = this.errors().filter((each) => direction * (place(each) - here) > 0);
    const next =
      direction > 0
        ? errors.reduce((a, b) => (a && place(a) <= place(b) ? a : b), null)
        : errors.reduce((a, b) => (a && place(a) >= place(b) ? a : b), null);
    if (next) this.show({ round: next.round, step: next.step, seat: next.seat });
    else this.say(text(direction > 0 ? "errors.nomore" : "errors.nobefore"));
  }

  choose(decision, answer) {
    this.tried.set(decision.id, answer);
    this.draw();
    this.say(`${triedText(decision, answer)} ${verdictOf(decision)}`);
    document.querySelector(".decision h3").focus();
  }

  say(words) {
    this.live.textContent = words;
  }

  /** What a screen reader says of the step on show. */
  spokenStep() {
    const known = this.at().map((each) =>
      this.asks(each)
        ? text(`ask.${each.kind}`)
        : `${text(`kind.${each.kind}`)}: ${answerWords(each, each.answer, this.round)}. ${verdictOf(each)}`,
    );
    return [eventText(this.round, this.state.step), ...known].join(" ");
  }

  /** Builds the page; parts that never change are made here, and the others filled by `draw`. */
  build(root) {
    this.live = el("p", { class: "spoken", "aria-live": "polite", role: "status" });
    this.parts = Object.fromEntries(
      ["summary", "board", "side", "course"].map((name) => [name, el("div", { class: `part of-${name}` })]),
    );
    this.controls = drawControls(this);
    const title = el("h2", { id: "table" }, text("table.title"));
    root.append(
      cardShapes(),
      el("header", null, el("h1", null, text("title")), this.controls.players),
      el(
        "main",
        null,
        this.parts.summary,
        title,
        this.controls.bar,
        el("div", { class: "play" }, this.parts.board, this.parts.side),
        this.parts.course,
      ),
      drawSources(this.review),
      this.live,
    );
  }

  draw() {
    const { state, round, parts } = this;
    const decisions = this.at();
    const open = decisions.filter((each) => !this.asks(each));
    const marks = open.length ? marksOf(open[open.length - 1]) : {};
    const drawn = JSON.stringify([state.name, state.tries, this.tried.size]);
    if (this.drawn !== drawn) {
      parts.summary.replaceChildren(
        drawSummary(
          this,
          this.review.players.find((each) => each.name === state.name),
        ),
      );
      this.drawn = drawn;
    }
    parts.board.replaceChildren(drawBoard(tableAt(round, state.step, state.seat, { open: state.open, marks })));
    parts.side.replaceChildren(...this.drawSide(decisions));
    parts.course.replaceChildren(drawCourse(this), drawList(this));
    this.controls.update();
    this.say(this.spokenStep());
    clearTimeout(this.linking);
    this.linking = setTimeout(
      () => history.replaceState(null, "", this.linkTo(round, state.seat, state.step)),
      LINK_DELAY,
    );
  }

  /** The decisions at this step, or why there is none. */
  drawSide(decisions) {
    const { round, state } = this;
    const drawn = decisions.map((decision) =>
      drawDecision(decision, {
        round,
        link: this.linkToDecision(decision),
        asks: this.asks(decision),
        chosen: this.tried.get(decision.id),
        choose: (answer) => this.choose(decision, answer),
      }),
    );
    const after = round.steps[state.step + 1];
    const turn = after && after.seat === state.seat && ["play", "pass"].includes(after.event);
    if (!drawn.length) {
      const next = this.ofSeat().find((each) => each.step > state.step);
      const link = next && el("a", { href: this.linkToDecision(next) }, text("next.open"));
      drawn.push(
        el(
          "p",
          { class: "nothing" },
          text(turn ? (after.forced ? "none.forced" : "none.likely") : "none.here"),
          " ",
          link,
        ),
      );
    }
    const others = [0, 1, 2, 3].filter((seat) => seat !== state.seat && this.at(state.step, seat).length);
    const links = others.map((seat) =>
      el("a", { href: this.linkTo(round, seat, state.step) }, isolated(round.players[seat])),
    );
    if (links.length)
      drawn.push(
        el(
          "p",
          { class: "others" },
          text("others.here"),
          " ",
          ...links.flatMap((link, at) => (at ? [", ", link] : [link])),
        ),
      );
    return drawn;
  }

  /** Where a reader begins: at the costliest decision, or at the first one. */
  begin() {
    const [first] = this.review.players;
    const own = this.review.decisions.filter((each) => each.player === first.name);
    const costly = own.reduce((a, b) => (a && a.loss >= b.loss ? a : b), null);
    const seat = this.round.players.indexOf(first.name);
    this.show(costly ? { round: costly.round, step: costly.step, seat: costly.seat } : { seat: Math.max(seat, 0) });
  }

  /** What a round cost the player on show, for lists of rounds. */
  roundLoss(place) {
    const name = this.round.players[this.state.seat];
    const lost = this.ofRound[place].filter((each) => each.player === name && each.loss >= this.state.least);
    return lost.reduce((sum, each) => sum + each.loss, 0);
  }

  /** The result of a round for the team of the player on show. */
  resultOf(round, seat = this.state.seat) {
    const [first, second] = round.result;
    return seat % 2 ? second - first : first - second;
  }

  roundSummary(place) {
    const round = this.review.rounds[place];
    const seat = round.players.indexOf(this.round.players[this.state.seat]);
    const lost = this.roundLoss(place);
    const result = seat < 0 ? "" : `: ${signed(this.resultOf(round, seat))}`;
    const cost = lost && !this.state.tries ? `, ${text("round.lost", { points: number(lost) })}` : "";
    return `${this.roundText(round)}${result}${cost}`;
  }
}

const { texts, review } = JSON.parse(document.getElementById("review-data").textContent);
speak(texts);
const page = new Page(review);
page.build(document.body);
if (!page.follow(location.hash)) page.begin();
listen(page);
