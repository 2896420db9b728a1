// The legend: names of the colours, which hides and shows what they stand for.
import { element } from "./chart.js";
import { KINDS, STACK } from "./palette.js";

/** @typedef {{slot: number, text: string, key: string, colour: string}} Entry */

/** The legend. */
export class Legend {
  /** @param {{onSlot: (slot: number, isOnly: boolean) => void, onToggle: (what: "path" | "messages") => void, onColours: (byFunction: boolean) => void}} act */
  constructor(act) {
    this.act = act;
    this.select = element("select", "", { "aria-label": "Colours by" }, [element("option", "", { value: "kind" }, ["kind"]), element("option", "", { value: "function" }, ["function"])]);
    this.select.addEventListener("change", () => act.onColours(this.select.value === "function"));
    this.choice = element("label", "", {}, ["Colours by ", this.select]);
    this.list = element("ul", "", { "aria-label": "Colours" });
    this.box = element("div", "legend", {}, [this.choice, this.list]);
  }

  /** @param {{gantt: boolean, path: boolean, messages: boolean, shading: import("./shading.js").Shading, functions: number}} now */
  update({ gantt, path, messages, shading, functions }) {
    this.choice.hidden = gantt || functions === 0;
    const items = (gantt ? this.coarse() : this.slots(shading, functions)).map((entry) => this.item(entry, !((shading.hidden >> entry.slot) & 1)));
    if (!gantt) {
      items.push(this.toggle("path", "critical path", "k-path", path), this.toggle("messages", "message", "k-message-line", messages));
    }
    this.list.replaceChildren(...items);
  }

  /** @returns {Entry[]} */
  coarse() {
    const names = /** @type {[number, string][]} */ ([[0, "busy"], [1, "overhead"], [4, "idle"]]);
    return names.map(([slot, text]) => ({ slot, text, key: `g-${KINDS[slot]}`, colour: "" }));
  }

  /** @param {import("./shading.js").Shading} shading @param {number} functions @returns {Entry[]} */
  slots(shading, functions) {
    const names = shading.names(functions);
    if (shading.functions) {
      const all = names.map(([slot, text]) => ({ slot, text, key: "", colour: shading.shades[slot] }));
      return [...all, { slot: 31, text: "several functions", key: "", colour: shading.colours.several }];
    }
    return STACK.map((kind) => ({ slot: kind, text: names[kind][1], key: `k-${KINDS[kind]}`, colour: "" }));
  }

  /** @param {Entry} entry @param {boolean} isShown */
  item({ slot, text, key, colour }, isShown) {
    const swatch = element("i", `key ${key}`);
    if (colour) swatch.style.background = colour;
    if (slot > 30) return element("li", "", { title: "Zoom in to tell them apart" }, [swatch, text]);
    const label = `${isShown ? "Hide" : "Show"} ${text}; with Shift: show nothing else`;
    const made = element("button", "", { type: "button", "aria-pressed": String(isShown), title: label }, [swatch, text]);
    made.addEventListener("click", (event) => this.act.onSlot(slot, event.shiftKey));
    return element("li", "", {}, [made]);
  }

  /** @param {"path" | "messages"} what @param {string} text @param {string} key @param {boolean} isShown */
  toggle(what, text, key, isShown) {
    const made = element("button", "", { type: "button", "aria-pressed": String(isShown), title: `${isShown ? "Hide" : "Show"} ${text}` }, [element("i", `key ${key}`), text]);
    made.addEventListener("click", () => this.act.onToggle(what));
    return element("li", "", {}, [made]);
  }
}
