// Durations of a function: how many of its states took how long.
import { Surface, element, placeholder, valueAxis } from "./chart.js";
import { KINDS, LABELS } from "./palette.js";
import { brief, count, time } from "./units.js";

/** The histogram of durations. */
export class Durations {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source @param {import("./totals.js").Totals} totals */
  constructor(app, source, totals) {
    this.app = app;
    this.source = source;
    this.totals = totals;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Number of states by duration" });
    const names = [...source.whole.calls].sort((one, other) => other[3] - one[3]).map(([call, kind]) => [`${call}/${kind}`, this.name(call, kind)]);
    this.list = element("select", "", { "aria-label": "Function" }, names.map(([value, text]) => element("option", "", { value }, [text])));
    this.list.addEventListener("change", () => app.redraw());
    this.text = element("span", "what");
    this.box = element("div", "topology", {}, [element("div", "player", {}, [this.list, this.text]), this.surface.canvas]);
  }

  get follows() {
    return "scope";
  }

  /** @param {number} call @param {number} kind */
  name(call, kind) {
    return call > 0 ? `${this.source.meta.calls[call - 1] ?? `call ${call - 1}`}: ${LABELS[kind]}` : LABELS[kind];
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours } = this.app;
    const sums = this.totals.of(this.app.view.scope);
    const found = sums.calls.find(([call, kind]) => `${call}/${kind}` === this.list.value);
    const lengths = /** @type {number[]} */ (/** @type {unknown} */ (found?.[7] ?? []));
    const first = lengths.findIndex((number) => number > 0);
    this.text.textContent = found ? `${count(found[2])} states, ${time(found[3] / Math.max(1, found[2]))} on average, at most ${time(found[4])}` : "";
    if (!found || first < 0) return placeholder(context, width, height, sums.kinds ? "This page does not embed every state" : "No such states here", colours);
    let last = lengths.length - 1;
    while (lengths[last] === 0) last -= 1;
    const box = { left: 74, right: width - 10, top: 10, bottom: height - 24 };
    const most = lengths.reduce((one, other) => Math.max(one, other));
    const y = valueAxis(context, box, 1.1 * most, brief, colours);
    const step = Math.min(90, (box.right - box.left) / (last - first + 1));
    const every = Math.max(1, Math.ceil(64 / step));
    for (let bits = first; bits <= last; bits++) {
      const x = box.left + (bits - first) * step;
      context.fillStyle = colours.kinds[KINDS.indexOf(KINDS[found[1]])];
      context.fillRect(x + 1, y(lengths[bits]), Math.max(1, step - 2), box.bottom - y(lengths[bits]));
      context.fillStyle = colours.soft;
      context.textAlign = "left";
      if ((bits - first) % every === 0) context.fillText(bits === 0 ? "0" : time(2 ** (bits - 1)), x, box.bottom + 13);
      if (step > 40 && lengths[bits] > 0) {
        context.fillStyle = colours.ink;
        context.textAlign = "center";
        context.fillText(brief(lengths[bits]), x + step / 2, Math.max(box.top + 6, y(lengths[bits]) - 8));
      }
    }
    context.textAlign = "left";
    context.fillStyle = colours.soft;
    context.fillText("states", 8, box.top + 2);
  }
}
