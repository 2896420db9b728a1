// The toolbar, and the help that its last button shows.
import { element } from "./chart.js";
import { KEYS } from "./keys.js";
import { ORDERS } from "./rows.js";

/** @typedef {"gantt" | "messages" | "path" | "selects" | "theme"} Switch */
/**
 * What the toolbar controls.
 * @typedef {object} Controlled
 * @property {import("./view.js").Viewport} view
 * @property {number} middle time at which buttons zoom
 * @property {import("./history.js").Views | undefined} views
 * @property {(what: Switch) => void} toggle
 * @property {(change: (rows: import("./rows.js").Rows) => void) => void} eachRows
 * @property {() => void} fit
 * @property {() => void} showHelp
 */

/** The toolbar. */
export class Toolbar {
  /** @param {Controlled} page @param {import("./source.js").Meta[]} metas @param {HTMLElement} search */
  constructor(page, metas, search) {
    this.page = page;
    /** @type {Record<Switch, HTMLButtonElement>} */
    this.switches = {
      gantt: this.toggle("Gantt", "gantt"), messages: this.toggle("Messages", "messages"), path: this.toggle("Critical path", "path"),
      selects: this.toggle("Select", "selects"), theme: this.toggle("Dark", "theme"),
    };
    const { gantt, messages, path, selects, theme } = this.switches;
    const most = Math.max(...metas.map(({ whole }) => whole));
    const sizes = Array.from({ length: most + 1 }, (_, group) => /** @type {[string, string]} */ ([String(group), group === most && most > 0 ? "all" : String(2 ** group)]));
    this.box = element("div", "toolbar", { role: "toolbar", "aria-label": "Timeline" }, [
      element("strong", "brand", {}, ["Panto"]), gantt, messages, path, selects,
      this.select("Ranks per row", [["-1", "auto"], ...sizes], (value) => page.eachRows((rows) => (rows.requestedGroup = Number(value)))),
      this.select("Sort by", ORDERS.map(([name], i) => [String(i), name]), (value) => page.eachRows((rows) => (rows.order = Number(value)))),
      this.helpers(metas), element("span", "space"), search,
      this.button("−", "Zoom out", () => page.view.zoom(1.5, page.middle)), this.button("+", "Zoom in", () => page.view.zoom(1 / 1.5, page.middle)),
      this.button("Fit", "Fit everything", () => page.fit()), this.button("↶", "Undo zooming and panning (Ctrl+Z)", () => page.views?.step(-1)), theme,
      this.button("?", "Help", () => page.showHelp()),
    ]);
  }

  /** Shows what is on. @param {Record<Switch, boolean>} on */
  update(on) {
    for (const [name, button] of Object.entries(this.switches)) button.setAttribute("aria-pressed", String(on[/** @type {Switch} */ (name)]));
  }

  /** @param {string} label @param {[string, string][]} options @param {(value: string) => void} chosen */
  select(label, options, chosen) {
    const made = element("select", "", { "aria-label": label }, options.map(([value, text]) => element("option", "", { value }, [text])));
    made.addEventListener("change", () => chosen(made.value));
    return element("label", "", {}, [`${label} `, made]);
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  button(text, label, act) {
    const made = element("button", "", { type: "button", "aria-label": label, title: label }, [text]);
    made.addEventListener("click", act);
    return made;
  }

  /** @param {string} text @param {Switch} what */
  toggle(text, what) {
    const made = element("button", "toggle", { type: "button", "aria-pressed": "false" }, [text]);
    made.addEventListener("click", () => this.page.toggle(what));
    return made;
  }

  /** Creates the checkbox for helpers, if there are any. @param {import("./source.js").Meta[]} metas */
  helpers(metas) {
    if (metas.every(({ lines, ranks }) => lines === ranks)) return "";
    const box = element("input", "", { type: "checkbox", checked: "" });
    box.addEventListener("change", () => this.page.eachRows((rows) => (rows.helpers = box.checked)));
    return element("label", "", {}, [box, " Helpers"]);
  }
}

/** Creates the help. */
export function helpDialog() {
  const close = element("button", "", { type: "submit" }, ["Close"]);
  const rows = KEYS.flatMap(([key, does]) => [element("dt", "", {}, [key]), element("dd", "", {}, [does])]);
  return element("dialog", "help", { "aria-label": "Help" }, [
    element("h2", "", {}, ["Keys and mouse"]), element("dl", "", {}, rows), element("form", "", { method: "dialog" }, [close]),
  ]);
}
