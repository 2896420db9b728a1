// Concurrency profile: for how much of the time how many ranks compute, communicate or wait at once
// (as in ParaGraph; Heath and Etheridge, 1991).
import { LEFT, RIGHT, Surface, placeholder, valueAxis } from "./chart.js";
import { utilisation } from "./gather.js";
import { WAIT, faded } from "./palette.js";
import { percent } from "./units.js";

/** Number of moments looked at. */
const SAMPLES = 2048;
/** Upper limit of columns. */
const MAX_COLUMNS = 64;
/** @type {[string, number[], number][]} */
const CURVES = [["computing", [0], 0], ["communicating", [1, 2, 3], 1], ["waiting", [WAIT], WAIT]];

/** The concurrency profile. */
export class Concurrency {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Share of time for which a number of ranks compute, communicate or wait" });
    this.box = this.surface.canvas;
  }

  get follows() {
    return "scope";
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view: { scope } } = this.app;
    const { lines, states, span } = this.source.meta;
    const to = Math.min(scope.to, span);
    if (states === 0 || to <= scope.from) return placeholder(context, width, height, "No states", colours);
    const kinds = utilisation(this.source, scope.from, to, SAMPLES);
    const columns = Math.min(lines, MAX_COLUMNS) + 1;
    const shares = CURVES.map(([, list]) => {
      const found = new Float64Array(columns);
      for (let i = 0; i < SAMPLES; i++) {
        const ranks = list.reduce((sum, kind) => sum + kinds[kind][i], 0);
        found[Math.min(columns - 1, Math.round((ranks / lines) * (columns - 1)))] += 1 / SAMPLES;
      }
      return found;
    });
    const box = { left: LEFT, right: width - RIGHT, top: 30, bottom: height - 34 };
    const most = Math.max(...shares.flatMap((found) => [...found]));
    const y = valueAxis(context, box, most, percent, colours);
    this.columns(context, shares, box, y, columns, lines);
    this.legend(context);
  }

  /** @param {CanvasRenderingContext2D} context @param {Float64Array[]} shares @param {{left: number, right: number, bottom: number}} box @param {(value: number) => number} y @param {number} columns @param {number} lines */
  columns(context, shares, box, y, columns, lines) {
    const { colours } = this.app;
    const step = (box.right - box.left) / columns;
    const every = Math.max(1, Math.ceil(36 / step));
    for (let column = 0; column < columns; column++) {
      const x = box.left + column * step;
      shares.forEach((found, i) => {
        const wide = Math.max(1, (step * 0.84) / CURVES.length);
        context.fillStyle = colours.kinds[CURVES[i][2]];
        context.fillRect(x + step * 0.08 + i * wide, y(found[column]), wide, box.bottom - y(found[column]));
      });
      context.fillStyle = colours.soft;
      context.textAlign = "center";
      if (column % every === 0) context.fillText(String(Math.round((column * lines) / (columns - 1))), x + step / 2, box.bottom + 12);
    }
    context.fillText("ranks at the same time", (box.left + box.right) / 2, box.bottom + 27);
    context.textAlign = "left";
  }

  /** @param {CanvasRenderingContext2D} context */
  legend(context) {
    const { colours } = this.app;
    let x = LEFT;
    for (const [name, , kind] of CURVES) {
      context.fillStyle = colours.kinds[kind];
      context.fillRect(x, 8, 12, 12);
      context.fillStyle = colours.ink;
      context.fillText(name, x + 18, 14);
      x += context.measureText(name).width + 36;
    }
    context.fillStyle = faded(colours.soft, 0.9);
    context.fillText("share of time", x, 14);
  }
}
