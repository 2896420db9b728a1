// The line above a panel that says which interval it shows: the selection, the time in view, or the
// whole timeline.
import { element } from "./chart.js";
import { time, timestamp } from "./units.js";

const NAMES = { selection: "Selection", view: "Time in view", all: "Whole timeline" };

/** The line above a panel. */
export class ScopeBar {
  /** @param {import("./view.js").Viewport} view */
  constructor(view) {
    this.view = view;
    this.text = element("span", "", { role: "status" });
    this.zoom = this.button("Zoom to it", "Zoom to the selection (F)", () => view.zoomToSelection());
    this.clear = this.button("Clear", "Clear the selection (Esc)", () => view.select(null));
    this.box = element("div", "scope", {}, [this.text, this.zoom, this.clear]);
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  button(text, label, act) {
    const made = element("button", "link", { type: "button", title: label, "aria-label": label, hidden: "" }, [text]);
    made.addEventListener("click", act);
    return made;
  }

  /** @param {string} follows what the panel shows: `scope`, `view`, `cursor` or `all` @param {boolean} isStale */
  update(follows, isStale) {
    const { view } = this;
    const scope = follows === "scope" ? view.scope : follows === "all" ? view.everything : view.window;
    const apart = Math.max(1, (scope.to - scope.from) / 1000);
    const place = scope.name === "all" ? "" : `, ${time(scope.to - scope.from)} from ${timestamp(scope.from, apart)}`;
    const text = follows === "cursor" ? "At the time cursor" : `${NAMES[scope.name]}${place}`;
    const now = isStale ? `${text}: updating…` : text;
    if (this.text.textContent !== now) this.text.textContent = now;
    this.zoom.hidden = this.clear.hidden = !view.selection;
  }
}
