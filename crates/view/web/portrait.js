// Phase portrait: busy ranks against messages in flight, over time.
import { Surface, placeholder, valueAxis } from "./chart.js";
import { queues, utilisation } from "./gather.js";
import { heat } from "./palette.js";
import { brief, percent, time } from "./units.js";

/** Number of points of the trajectory. */
const SAMPLES = 400;

/** The phase portrait. */
export class Portrait {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Phase portrait: share of busy ranks against messages in flight" });
    this.box = this.surface.canvas;
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view } = this.app;
    const { lines, states, span } = this.source.meta;
    if (states === 0) return placeholder(context, width, height, "No states", colours);
    const [from, to] = [Math.max(0, view.from), Math.min(span, view.to)];
    if (to <= from) return placeholder(context, width, height, "No states in the time in view", colours);
    const kinds = utilisation(this.source, from, to, SAMPLES);
    const [travelling, waiting] = queues(this.source, from, to, SAMPLES);
    const under = travelling.map((value, i) => value + waiting[i]);
    const box = { left: 74, right: Math.min(width - 190, 74 + 2.2 * height), top: 12, bottom: height - 40 };
    const y = valueAxis(context, box, under.reduce((most, value) => Math.max(most, value), 0), brief, colours);
    const x = (/** @type {number} */ share) => box.left + share * (box.right - box.left);
    const busy = (/** @type {number} */ i) => (kinds[0][i] + kinds[1][i] + kinds[2][i] + kinds[3][i]) / lines;
    this.frame(context, box, x);
    context.lineWidth = 1.6;
    for (let i = 1; i < SAMPLES; i++) {
      context.strokeStyle = heat(i / SAMPLES);
      context.beginPath();
      context.moveTo(x(busy(i - 1)), y(under[i - 1]));
      context.lineTo(x(busy(i)), y(under[i]));
      context.stroke();
    }
    for (let i = 0; i < SAMPLES; i += 4) {
      context.fillStyle = heat(i / SAMPLES);
      context.beginPath();
      context.arc(x(busy(i)), y(under[i]), 2.6, 0, 2 * Math.PI);
      context.fill();
    }
    this.key(context, box.right + 24, box.top + 8, from, to);
  }

  /** @param {CanvasRenderingContext2D} context @param {{left: number, right: number, top: number, bottom: number}} box @param {(share: number) => number} x */
  frame(context, box, x) {
    context.textAlign = "center";
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      context.strokeStyle = this.app.colours.grid;
      context.beginPath();
      context.moveTo(x(share), box.top);
      context.lineTo(x(share), box.bottom);
      context.stroke();
      context.fillStyle = this.app.colours.soft;
      context.fillText(percent(share), x(share), box.bottom + 12);
    }
    context.fillText("busy ranks", (box.left + box.right) / 2, box.bottom + 29);
    context.save();
    context.translate(14, (box.top + box.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("messages in flight", 0, 0);
    context.restore();
    context.textAlign = "left";
  }

  /** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} from @param {number} to */
  key(context, x, y, from, to) {
    for (let i = 0; i < 100; i++) {
      context.fillStyle = heat(i / 99);
      context.fillRect(x, y + i, 14, 2);
    }
    context.fillStyle = this.app.colours.soft;
    context.fillText(time(from), x + 20, y + 4);
    context.fillText(time(to), x + 20, y + 98);
  }
}
