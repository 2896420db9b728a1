// Communication meter: messages and bytes in flight, and arrived but not received, at the time cursor,
// beside their maximum until then and in the whole timeline (as ParaGraph's meter).
import { barList } from "./bars.js";
import { element } from "./chart.js";
import { queues } from "./gather.js";
import { brief, bytes, percent, time } from "./units.js";

/** Number of moments of the whole timeline that are looked at. */
const SAMPLES = 2048;
/** @type {[string, number, string, (value: number) => string][]} */
const METERS = [
  ["messages in flight", 0, "key k-message", brief], ["messages arrived, not received", 1, "key k-wait", brief], ["bytes in flight", 2, "key k-message", bytes],
  ["bytes arrived, not received", 3, "key k-wait", bytes],
];

/** The communication meter. */
export class Meter {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.box = element("div", "statistics", { tabindex: "0", role: "region", "aria-label": `Communication meter of ${source.meta.name}` });
    /** @type {Float64Array[] | null} */
    this.columns = null;
    this.version = -1;
    this.shown = "";
  }

  get follows() {
    return "cursor";
  }

  draw() {
    const { source, app: { view } } = this;
    if (source.meta.messages === 0) return this.box.replaceChildren(element("p", "", {}, ["No messages"]));
    if (this.version !== source.version || !this.columns) {
      this.columns = queues(source, 0, source.meta.span, SAMPLES);
      this.version = source.version;
      this.shown = "";
    }
    const at = Math.min(source.meta.span, view.cursor ?? (view.window.from + view.window.to) / 2);
    if (this.shown === String(at)) return;
    this.shown = String(at);
    const width = source.meta.span / 1000;
    const now = queues(source, at - width / 2, at + width / 2, 3).map((values) => values[1]);
    const place = Math.min(SAMPLES - 1, Math.floor((at / source.meta.span) * SAMPLES));
    const bars = METERS.map(([name, column, key, format]) => {
      const values = /** @type {Float64Array[]} */ (this.columns)[column];
      const [so, all] = [max(values.subarray(0, place + 1), now[column]), max(values, now[column])];
      return {
        name, parts: /** @type {[string, number][]} */ ([[key, now[column] / all], ["key so-far", (so - now[column]) / all]]),
        text: `${format(now[column])}, ${percent(now[column] / all)} of the maximum ${format(all)}; until then at most ${format(so)}`,
      };
    });
    const how = view.cursor === null ? "the middle of the view (click in the diagram to set the time cursor)" : "the time cursor";
    this.box.replaceChildren(barList(`Communication at ${time(at, 5)}, ${how}`, bars, `Means over ${time(width / 3)}; maximums of means over ${time(source.meta.span / SAMPLES)}`));
  }
}

/** @param {Float64Array} values @param {number} least */
function max(values, least) {
  return values.reduce((one, other) => Math.max(one, other), Math.max(least, 1e-9));
}
