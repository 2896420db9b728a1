// Search: ranks by number, calls by name. A selected rank is scrolled into view; a selected call is
// highlighted, and its occurrences are visited in time order.
import { element } from "./chart.js";
import { Occurrences } from "./occurrences.js";
import { LABELS } from "./palette.js";
import { count, time } from "./units.js";

/** Upper limit of suggestions. */
const MAX_SUGGESTIONS = 12;

/** @typedef {{title: string, detail: string, choose: () => void}} Suggestion */
/** A kind of state in a call, the number of its occurrences, and the longest. @typedef {{name: string, call: number, kind: number, count: number, line: number, from: number, to: number}} Call */

/**
 * Returns suggestions for a text.
 * @param {import("./source.js").Source} source
 * @param {string} text
 * @param {(rank: number) => void} toRank
 * @param {(call: Call) => void} toCall
 * @returns {Suggestion[]}
 */
function suggestions({ meta, whole }, text, toRank, toCall) {
  /** @type {Suggestion[]} */
  const found = [];
  const digits = /^\s*(?:rank\s*)?(\d+)\s*$/i.exec(text);
  if (digits && Number(digits[1]) < meta.ranks) {
    const rank = Number(digits[1]);
    found.push({ title: `rank ${rank}`, detail: "go to its row", choose: () => toRank(rank) });
  }
  const wanted = text.trim().toLowerCase();
  if (!wanted) return found;
  for (const [call, kind, number, all, longest, line, from] of [...whole.calls].sort((one, other) => other[3] - one[3])) {
    const name = call > 0 ? meta.calls[call - 1] ?? "" : LABELS[kind];
    if (!name.toLowerCase().includes(wanted) && !LABELS[kind].includes(wanted)) continue;
    const detail = `${count(number)} times, ${time(all)} in total; longest ${time(longest)} on rank ${line}`;
    const title = call > 0 ? `${name}: ${LABELS[kind]}` : name;
    found.push({ title, detail, choose: () => toCall({ name: call > 0 ? name : "", call, kind, count: number, line, from, to: from + longest }) });
  }
  return found.slice(0, MAX_SUGGESTIONS);
}

/** The search field and its list of suggestions. */
export class Search {
  /**
   * @param {import("./source.js").Source} source
   * @param {import("./diagram.js").Diagram} diagram
   * @param {import("./diagram.js").App} app
   */
  constructor(source, diagram, app) {
    this.source = source;
    this.diagram = diagram;
    this.app = app;
    this.field = element("input", "", {
      type: "search", placeholder: "Search rank or call  ( / )", "aria-label": "Search for a rank or a call", autocomplete: "off", spellcheck: "false",
    });
    this.list = element("ul", "found", { role: "listbox", "aria-label": "Suggestions", hidden: "" });
    this.place = element("output", "place", { "aria-label": "Position in the search results" });
    this.steps = element("span", "steps", { hidden: "" }, [this.button("‹", "Previous (Shift+N)", -1), this.place, this.button("›", "Next (N)", 1)]);
    this.box = element("div", "search", {}, [this.steps, this.field, this.list]);
    this.chosen = 0;
    /** Occurrences being visited, and the current position. @type {Occurrences | null} */
    this.occurrences = null;
    this.number = 0;
    /** @type {Suggestion[]} */
    this.found = [];
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => setTimeout(() => (this.list.hidden = true), 150));
  }

  look() {
    this.chosen = 0;
    if (!this.field.value) this.mark("");
    this.found = suggestions(this.source, this.field.value, (rank) => this.toRank(rank), (call) => this.toCall(call));
    this.show();
  }

  show() {
    this.list.hidden = this.field.value.trim() === "";
    if (this.found.length === 0) {
      this.list.replaceChildren(element("li", "", {}, ["No matching rank or call"]));
      return;
    }
    this.list.replaceChildren(...this.found.map((suggestion, i) => {
      const item = element("li", "", { role: "option", "aria-selected": String(i === this.chosen) }, [
        element("b", "", {}, [suggestion.title]), element("span", "", {}, [suggestion.detail]),
      ]);
      item.addEventListener("pointerdown", () => this.choose(i));
      return item;
    }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    if (event.key === "Enter" && this.list.hidden && this.occurrences) this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Enter") this.choose(this.chosen);
    else if (event.key === "Escape") this.clear();
    else if (event.key === "ArrowDown") this.chosen = Math.min(this.found.length - 1, this.chosen + 1);
    else if (event.key === "ArrowUp") this.chosen = Math.max(0, this.chosen - 1);
    else return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) this.show();
  }

  /** @param {number} i */
  choose(i) {
    const suggestion = this.found[i];
    if (!suggestion) return;
    suggestion.choose();
    this.list.hidden = true;
    this.app.announce(suggestion.title);
    this.diagram.surface.canvas.focus();
  }

  clear() {
    this.field.value = "";
    this.list.hidden = true;
    this.mark("");
    this.diagram.surface.canvas.focus();
  }

  /** @param {string} text @param {string} label @param {number} by */
  button(text, label, by) {
    const made = element("button", "", { type: "button", "aria-label": label, title: label }, [text]);
    made.addEventListener("click", () => this.step(by));
    return made;
  }

  /** @param {string} call */
  mark(call) {
    this.occurrences = null;
    this.steps.hidden = true;
    this.app.callMarked = call;
    this.app.redraw();
  }

  /** @param {number} rank */
  toRank(rank) {
    this.mark("");
    this.diagram.reveal(rank);
  }

  /** Goes to the longest occurrence, from which the others can be reached. @param {Call} call */
  toCall({ name, call, kind, count: number, line, from, to }) {
    this.mark(name);
    const { view } = this.app;
    view.centre((from + to) / 2, Math.max(8 * (to - from), view.span * 1e-6));
    view.point((from + to) / 2);
    this.diagram.reveal(line);
    const all = new Occurrences(this.source, call, kind, number);
    this.occurrences = all;
    this.follow(all.at(line, from));
  }

  /** Goes to the next or previous occurrence, cyclically; returns whether there are any. @param {number} by */
  step(by) {
    const { occurrences: all } = this;
    if (!all) return false;
    const found = all.byNumber((this.number + by + all.count) % all.count);
    this.follow(found.then((found) => {
      if (found && this.occurrences === all) this.bring(found);
      return found;
    }));
    return true;
  }

  /** Shows the position of an occurrence once it is known. @param {Promise<import("./occurrences.js").Occurrence | null>} found */
  async follow(found) {
    const all = this.occurrences;
    const answer = await found.catch(() => null);
    if (!all || this.occurrences !== all) return;
    this.steps.hidden = false;
    this.number = answer?.number ?? 0;
    this.place.textContent = answer ? `${count(answer.number + 1)} of ${count(all.count)}` : `longest of ${count(all.count)}`;
    this.place.title = answer ? "" : `This page does not embed all of them; run "panto view ${this.source.meta.name}" to step through them.`;
    for (const button of this.steps.querySelectorAll("button")) button.disabled = !answer;
    if (!answer) this.occurrences = null;
    this.app.announce(`${this.place.textContent}`);
  }

  /** Brings an occurrence into view, at the current zoom if it is visible there. @param {import("./occurrences.js").Occurrence} found */
  bring({ line, from, to }) {
    const { view } = this.app;
    const isSeen = to - from < 0.9 * view.width && to - from > view.width / 2000;
    view.centre((from + to) / 2, isSeen ? view.width : Math.max(8 * (to - from), view.span * 1e-6));
    view.point((from + to) / 2);
    this.diagram.reveal(line);
  }
}
