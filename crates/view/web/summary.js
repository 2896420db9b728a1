// Time of each rank by state, as shares of the whole: one column per row of the diagram.
import { LEFT, RIGHT, Surface, placeholder } from "./chart.js";
import { LABELS, STACK, WAIT, hatch } from "./palette.js";
import { percent } from "./units.js";

/** Stacked columns of the time of each rank by state. */
export class Summary {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source @param {import("./rows.js").Rows} rows @param {import("./totals.js").Totals} totals */
  constructor(app, source, rows, totals) {
    this.app = app;
    this.source = source;
    this.totals = totals;
    /** Totals of the interval, if they are known for rows of this size. @type {number[][] | null} */
    this.lines = null;
    this.length = source.meta.span;
    this.rows = rows;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Time of each rank by state, as shares of the whole; the statistics list the totals" });
    this.box = this.surface.canvas;
    this.x = -1;
    this.box.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.box.addEventListener("pointerleave", () => this.point(-1));
  }

  get follows() {
    return this.lines ? "scope" : "all";
  }

  /** Looks up the totals of the interval. */
  gather() {
    const { scope } = this.app.view;
    const { lines, group } = this.totals.of(scope);
    this.lines = lines.length > 0 && group <= this.rows.group ? lines : null;
    this.group = group;
    this.length = Math.max(1, this.lines ? Math.min(scope.to, this.source.meta.span) - scope.from : this.source.meta.span);
  }

  /** Returns the share of a row's time that a kind takes. @param {import("./rows.js").Row} row @param {number} kind */
  share(row, kind) {
    const all = this.length * this.rows.size(row);
    if (!this.lines) return this.rows.sum(row, kind) / all;
    const by = 2 ** (row.group - (this.group ?? 0));
    let sum = 0;
    for (let index = row.index * by; index < Math.min(this.lines.length, (row.index + 1) * by); index++) sum += this.lines[index][kind];
    return sum / all;
  }

  /** @param {number} x */
  point(x) {
    this.x = x;
    this.app.redraw();
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours } = this.app;
    const list = this.rows.list.filter((row) => row.group === this.rows.group);
    if (list.length === 0 || this.source.meta.states === 0) return placeholder(context, width, height, "No states", colours);
    this.gather();
    const [left, right, top, bottom] = [LEFT, width - RIGHT, 28, height - 22];
    const step = Math.min(64, (right - left) / list.length);
    const gap = step > 6 ? Math.min(6, step * 0.15) : 0;
    const pattern = hatch(context, colours);
    this.scale(context, left, right, top, bottom);
    const widest = context.measureText(this.rows.name(list[list.length - 1])).width + 12;
    list.forEach((row, i) => {
      let y = bottom;
      for (const kind of STACK) {
        const part = this.share(row, kind) * (bottom - top);
        context.fillStyle = kind === WAIT ? pattern : colours.kinds[kind];
        context.fillRect(left + i * step + gap / 2, y - part, Math.max(0.5, step - gap), part);
        y -= part;
      }
      const every = Math.max(1, Math.ceil(widest / step));
      if (i % every === 0) {
        context.fillStyle = colours.soft;
        context.textAlign = "center";
        context.fillText(this.rows.name(row), left + (i + 0.5) * step, bottom + 12);
        context.textAlign = "left";
      }
    });
    this.describe(context, list, left, step);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} left @param {number} right @param {number} top @param {number} bottom */
  scale(context, left, right, top, bottom) {
    context.strokeStyle = this.app.colours.grid;
    context.fillStyle = this.app.colours.soft;
    context.textAlign = "right";
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const y = Math.round(bottom - share * (bottom - top)) + 0.5;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.stroke();
      context.fillText(percent(share), left - 6, y);
    }
    context.textAlign = "left";
  }

  /** Describes the column under the pointer. @param {CanvasRenderingContext2D} context @param {import("./rows.js").Row[]} list @param {number} left @param {number} step */
  describe(context, list, left, step) {
    const row = list[Math.floor((this.x - left) / step)];
    context.fillStyle = this.app.colours.ink;
    if (!row || this.x < left) {
      context.fillStyle = this.app.colours.soft;
      context.fillText("Time per rank by state; point at a column for details", left, 13);
      return;
    }
    const parts = STACK.map((kind) => `${LABELS[kind]} ${percent(this.share(row, kind))}`);
    context.fillText(`${this.rows.title(row)}: ${parts.join(", ")}`, left, 13);
  }
}
