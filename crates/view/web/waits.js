// Wait states: who waited for whom, ranked by cost. Choosing one goes to its place.
import { element, table } from "./chart.js";
import { WAIT } from "./palette.js";
import { lineTitle } from "./rows.js";
import { count, percent, time } from "./units.js";

/** A wait: line, begin, end, and line and time of its cause. @typedef {[number, number, number, [number, number] | null]} Wait */
/** Waits in a function: kind, function, total, count, the rank mostly waited for and how long, and the longest waits. @typedef {[string, string, number, number, [number, number] | null, Wait[]]} WaitState */

/** The panel of wait states. */
export class Waits {
  /** @param {import("./source.js").Source} source @param {import("./diagram.js").Diagram} diagram */
  constructor(source, diagram) {
    this.source = source;
    this.diagram = diagram;
    this.box = element("div", "statistics waits", { tabindex: "0", role: "region", "aria-label": `Wait states of ${source.meta.name}` });
    /** Index of the wait state whose longest waits are listed, and the wait that was gone to. */
    this.state = 0;
    this.wait = -1;
    this.fill();
  }

  get follows() {
    return "all";
  }

  draw() {}

  fill() {
    const { states } = this.source.meta.waits;
    if (states.length === 0) {
      this.box.replaceChildren(element("p", "", {}, ["No rank waits in this timeline."]));
      return;
    }
    this.box.replaceChildren(this.ranking(states), this.longest(states[this.state]));
  }

  /** @param {WaitState[]} states */
  ranking(states) {
    const all = Math.max(1, this.source.meta.waits.time);
    const rows = states.map(([kind, call, total, number, culprit], i) => [
      this.link(kind, `Go to the longest ${kind} in ${name(call)}`, i === this.state, () => this.go(i, 0)), name(call), time(total),
      percent(total / all), count(number), culprit ? `rank ${culprit[0]} (${time(culprit[1])})` : "",
    ]);
    return table("Wait states, by cost", ["wait state", "call", "time", "share", "count", "mostly for"], rows);
  }

  /** @param {WaitState} state */
  longest([kind, call, , , , waits]) {
    const { ranks, helperRanks } = this.source.meta;
    const line = (/** @type {number} */ line) => lineTitle(line, ranks, helperRanks);
    const rows = waits.map(([waiting, from, to, cause], i) => [
      this.link(line(waiting), `Go to this wait of ${line(waiting)}`, i === this.wait, () => this.go(this.state, i)), time(from, 5), time(to - from),
      cause ? line(cause[0]) : "unknown",
    ]);
    return table(`Longest: ${kind} in ${name(call)}`, ["waits", "at", "for", "caused by"], rows);
  }

  /** @param {string} text @param {string} label @param {boolean} isCurrent @param {() => void} act */
  link(text, label, isCurrent, act) {
    const made = element("button", "link", { type: "button", title: label, "aria-label": label, ...(isCurrent ? { "aria-current": "true" } : {}) }, [text]);
    made.addEventListener("click", act);
    return made;
  }

  /** Goes to a wait. @param {number} state @param {number} wait */
  go(state, wait) {
    [this.state, this.wait] = [state, wait];
    const [kind, call, , , , waits] = this.source.meta.waits.states[state];
    const [line, from, to, cause] = waits[wait];
    this.fill();
    /** @type {HTMLElement | null} */ (this.box.querySelectorAll("table")[wait > 0 ? 1 : 0]?.querySelector("[aria-current]"))?.focus();
    const call_ = this.source.meta.calls.indexOf(call) + 1;
    const chosen = { state: { line, kind: WAIT, call: call_, from, to, cause: cause && { line: cause[0], at: cause[1] } }, message: null };
    this.diagram.app.choose(this.diagram, chosen);
    this.diagram.bring(chosen, true);
    this.diagram.app.announce(`${kind} in ${name(call)}: rank ${line} waits ${time(to - from)}${cause ? ` for rank ${cause[0]}` : ""}`);
  }
}

/** @param {string} call */
function name(call) {
  return call || "no call";
}
