// Search: ranks by number, calls by name. What is chosen is brought into view, and calls are marked.
import { element } from "./chart.js";
import { LABELS } from "./palette.js";
import { count, time } from "./units.js";

/** At most so many proposals. */
const MOST = 12;

/** @typedef {{title: string, detail: string, choose: () => void}} Proposal */

/**
 * What fits a text.
 * @param {import("./source.js").Meta} meta
 * @param {string} text
 * @param {(rank: number) => void} toRank
 * @param {(call: string, line: number, from: number, to: number) => void} toCall
 * @returns {Proposal[]}
 */
function proposals(meta, text, toRank, toCall) {
  /** @type {Proposal[]} */
  const found = [];
  const digits = /^\s*(?:rank\s*)?(\d+)\s*$/i.exec(text);
  if (digits && Number(digits[1]) < meta.ranks) {
    const rank = Number(digits[1]);
    found.push({ title: `rank ${rank}`, detail: "show its row", choose: () => toRank(rank) });
  }
  const wanted = text.trim().toLowerCase();
  if (!wanted) return found;
  for (const [call, kind, number, all, longest, line, from] of [...meta.sums.calls].sort((one, other) => other[3] - one[3])) {
    const name = call > 0 ? meta.calls[call - 1] ?? "" : LABELS[kind];
    if (!name.toLowerCase().includes(wanted) && !LABELS[kind].includes(wanted)) continue;
    const detail = `${count(number)} times, ${time(all)}; the longest takes ${time(longest)} on rank ${line}`;
    const title = call > 0 ? `${name} ${LABELS[kind]}` : name;
    found.push({ title, detail, choose: () => toCall(call > 0 ? name : "", line, from, from + longest) });
  }
  return found.slice(0, MOST);
}

/** The field and its list. */
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
      type: "search", placeholder: "Search rank or call  ( / )", "aria-label": "Search a rank or a call", autocomplete: "off", spellcheck: "false",
    });
    this.list = element("ul", "found", { role: "listbox", "aria-label": "Found", hidden: "" });
    this.box = element("div", "search", {}, [this.field, this.list]);
    this.chosen = 0;
    /** @type {Proposal[]} */
    this.found = [];
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => setTimeout(() => (this.list.hidden = true), 150));
  }

  look() {
    this.chosen = 0;
    if (!this.field.value) this.mark("");
    this.found = proposals(this.source.meta, this.field.value, (rank) => this.toRank(rank), (...to) => this.toCall(...to));
    this.show();
  }

  show() {
    this.list.hidden = this.field.value.trim() === "";
    if (this.found.length === 0) {
      this.list.replaceChildren(element("li", "", {}, ["No rank and no call of this name"]));
      return;
    }
    this.list.replaceChildren(...this.found.map((proposal, i) => {
      const item = element("li", "", { role: "option", "aria-selected": String(i === this.chosen) }, [
        element("b", "", {}, [proposal.title]), element("span", "", {}, [proposal.detail]),
      ]);
      item.addEventListener("pointerdown", () => this.choose(i));
      return item;
    }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    if (event.key === "Enter") this.choose(this.chosen);
    else if (event.key === "Escape") this.clear();
    else if (event.key === "ArrowDown") this.chosen = Math.min(this.found.length - 1, this.chosen + 1);
    else if (event.key === "ArrowUp") this.chosen = Math.max(0, this.chosen - 1);
    else return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) this.show();
  }

  /** @param {number} i */
  choose(i) {
    const proposal = this.found[i];
    if (!proposal) return;
    proposal.choose();
    this.list.hidden = true;
    this.app.say(proposal.title);
    this.diagram.surface.canvas.focus();
  }

  clear() {
    this.field.value = "";
    this.list.hidden = true;
    this.mark("");
    this.diagram.surface.canvas.focus();
  }

  /** @param {string} call */
  mark(call) {
    this.app.callMarked = call;
    this.app.redraw();
  }

  /** @param {number} rank */
  toRank(rank) {
    this.mark("");
    this.diagram.reveal(rank);
  }

  /** @param {string} call @param {number} line @param {number} from @param {number} to */
  toCall(call, line, from, to) {
    this.mark(call);
    this.app.view.centre((from + to) / 2, Math.max(8 * (to - from), this.app.view.span * 1e-6));
    this.app.view.point((from + to) / 2);
    this.diagram.reveal(line);
  }
}
