// Details of a chosen state or message: call, partner, bytes, times, who was waited for, and links to
// the other end and to the neighbours on the same rank.
import { element } from "./chart.js";
import { exchange, near, receiver, sender } from "./neighbours.js";
import { LABELS } from "./palette.js";
import { lineTitle } from "./rows.js";
import { bytes, count, time, timestamp } from "./units.js";

/** @typedef {import("./neighbours.js").LineState} LineState */
/** @typedef {import("./neighbours.js").Sent} Sent */
/** @typedef {import("./diagram.js").Diagram} Diagram */

/** The pane with the details of what was chosen. */
export class Details {
  /** @param {import("./diagram.js").App} app @param {() => Diagram[]} diagrams */
  constructor(app, diagrams) {
    this.app = app;
    this.diagrams = diagrams;
    this.title = element("h2");
    this.facts = element("dl");
    this.links = element("div", "links");
    this.before = this.button("‹ Previous", "Previous state of this rank (,)", () => this.step(-1));
    this.after = this.button("Next ›", "Next state of this rank (.)", () => this.step(1));
    const close = this.button("×", "Close the details (Esc)", () => this.close());
    this.steps = element("div", "steps", {}, [this.before, this.after]);
    this.box = element("aside", "details", { "aria-label": "Details", hidden: "" }, [
      element("div", "head", {}, [this.title, close]), this.steps, this.facts, this.links,
    ]);
    /** @type {Diagram | null} */
    this.diagram = null;
    /** @type {import("./neighbours.js").Near | null} */
    this.near = null;
    /** Number of the last choice: answers to earlier ones are ignored. */
    this.choice = 0;
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  button(text, label, act) {
    const made = element("button", "", { type: "button", title: label, "aria-label": label }, [text]);
    made.addEventListener("click", act);
    return made;
  }

  close() {
    this.choice += 1;
    for (const diagram of this.diagrams()) diagram.mark(null);
    this.box.hidden = true;
    this.app.redraw();
  }

  /** Shows a state or a message of a diagram. @param {Diagram} diagram @param {{state: LineState | null, message: Sent | null}} chosen */
  show(diagram, { state, message }) {
    const isNew = this.box.hidden;
    this.choice += 1;
    this.diagram = diagram;
    this.near = null;
    for (const each of this.diagrams()) each.mark(each === diagram ? { state, message } : null);
    this.box.hidden = false;
    this.steps.hidden = !state;
    this.before.disabled = this.after.disabled = true;
    this.links.replaceChildren();
    if (state) this.showState(diagram, state);
    else if (message) this.showMessage(diagram, message);
    this.app.announce(`${this.title.textContent}`);
    // The panel beside it becomes narrower.
    if (isNew) this.app.redraw();
  }

  /** @param {Diagram} diagram @param {number} line */
  line(diagram, line) {
    const { ranks, helperRanks } = diagram.source.meta;
    return lineTitle(line, ranks, helperRanks);
  }

  /** @param {string} title @param {[string, string | Node][]} facts */
  fill(title, facts) {
    this.title.textContent = title;
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [element("dt", "", {}, [name]), element("dd", "", {}, [value])]));
  }

  /** @param {Diagram} diagram @param {LineState} state */
  showState(diagram, state) {
    const { line, kind, call, from, to, cause } = state;
    const { calls } = diagram.source.meta;
    const name = call > 0 ? calls[call - 1] ?? `call ${call - 1}` : "";
    const exact = clock(to - from);
    /** @type {[string, string | Node][]} */
    const facts = [["call", name || "none"], ["kind", LABELS[kind]], ["duration", time(to - from, 4)], ["start", exact(from)], ["end", exact(to)]];
    if (cause) {
      facts.push(["waits for", this.link(this.line(diagram, cause.line), () => this.go(diagram, near(diagram.source, cause.line, cause.at).then((found) => found?.at ?? null)))]);
      facts.push(["released at", exact(cause.at)]);
    }
    this.fill(`${this.line(diagram, line)}: ${LABELS[kind]}${name ? ` in ${name}` : ""}`, facts);
    const { choice } = this;
    near(diagram.source, line, from).then((found) => choice === this.choice && this.showNear(diagram, state, found), () => {});
    exchange(diagram.source, state).then((found) => choice === this.choice && found && this.showMessages(diagram, line, found), () => {});
  }

  /** @param {Diagram} diagram @param {LineState} state @param {import("./neighbours.js").Near | null} found */
  showNear(diagram, state, found) {
    this.near = found;
    this.before.disabled = !found?.before;
    this.after.disabled = !found?.after;
    if (!found) this.links.append(element("p", "", {}, [`This page does not embed every state; run "panto view ${diagram.source.meta.name}" to follow them.`]));
    for (const other of this.diagrams()) {
      if (other === diagram || state.line >= other.source.meta.ranks) continue;
      const go = () => this.go(other, near(other.source, state.line, state.from).then((found) => found?.at ?? null));
      this.links.append(element("p", "", {}, [this.link(`The same moment in ${other.source.meta.name}`, go)]));
    }
  }

  /** @param {Diagram} diagram @param {number} line @param {{list: Sent[], isAll: boolean}} found */
  showMessages(diagram, line, { list, isAll }) {
    if (list.length === 0 && isAll) return;
    const items = list.map((message) => {
      const isSent = message.from === line;
      const text = isSent ? `sent ${bytes(message.bytes)} to ${this.line(diagram, message.to)}` : `received ${bytes(message.bytes)} from ${this.line(diagram, message.from)}`;
      return element("li", "", {}, [this.link(text, () => this.bring(diagram, { state: null, message }))]);
    });
    if (!isAll) items.push(element("li", "", {}, ["and more"]));
    const all = list.reduce((sum, message) => sum + message.bytes, 0);
    this.links.prepend(element("h3", "", {}, [`${count(list.length)} message${list.length === 1 ? "" : "s"}, ${bytes(all)}`]), element("ul", "", {}, items));
  }

  /** @param {Diagram} diagram @param {Sent} message */
  showMessage(diagram, message) {
    const { source } = diagram;
    const exact = clock(message.arrived - message.sent);
    const [from, to] = [this.line(diagram, message.from), this.line(diagram, message.to)];
    this.fill(`${source.meta.messageKinds[message.kind] ?? "message"} from ${from} to ${to}`, [
      ["size", bytes(message.bytes)], ["class (tag)", String(message.cls)], ["sent", exact(message.sent)], ["arrived", exact(message.arrived)],
      ["received", exact(message.received)], ["in flight", time(message.arrived - message.sent, 4)], ["unreceived for", time(message.received - message.arrived, 4)],
    ]);
    this.links.append(element("ul", "", {}, [
      element("li", "", {}, [this.link(`Send on ${from}`, () => this.go(diagram, sender(source, message)))]),
      element("li", "", {}, [this.link(`Receive on ${to}`, () => this.go(diagram, receiver(source, message)))]),
    ]));
  }

  /** @param {string} text @param {() => void} act */
  link(text, act) {
    const made = element("button", "link", { type: "button" }, [text]);
    made.addEventListener("click", act);
    return made;
  }

  /** Goes to a state of a diagram once it is known. @param {Diagram} diagram @param {Promise<LineState | null>} wanted */
  go(diagram, wanted) {
    const { choice } = this;
    wanted.then((state) => {
      if (choice !== this.choice) return;
      if (state) this.bring(diagram, { state, message: null });
      else this.app.announce("This page does not embed that state");
    }, () => {});
  }

  /** @param {Diagram} diagram @param {{state: LineState | null, message: Sent | null}} chosen */
  bring(diagram, chosen) {
    this.show(diagram, chosen);
    diagram.bring(chosen);
  }

  /** Goes to the next or the previous state of the rank; returns whether there is one. @param {1 | -1} by */
  step(by) {
    const state = by > 0 ? this.near?.after : this.near?.before;
    if (this.diagram && state) this.bring(this.diagram, { state, message: null });
    return !this.box.hidden;
  }
}

/** Returns the formatter of times that tells the begin and end of something apart. @param {number} length */
function clock(length) {
  return (/** @type {number} */ at) => timestamp(at, Math.min(1000, Math.max(1, length / 1000)));
}
