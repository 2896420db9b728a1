// Communication matrix of the time in view.
import { Surface, placeholder } from "./chart.js";
import { matrix } from "./gather.js";
import { heat } from "./palette.js";
import { bytes, count } from "./units.js";

/** The communication matrix. */
export class Matrix {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Communication matrix: bytes from each rank to every other" });
    this.box = this.surface.canvas;
    /** @type {{x: number, y: number} | null} */
    this.pointer = null;
    this.box.addEventListener("pointermove", (event) => {
      this.pointer = { x: event.offsetX, y: event.offsetY };
      app.redraw();
    });
    this.box.addEventListener("pointerleave", () => {
      this.pointer = null;
      app.redraw();
    });
  }

  get follows() {
    return "scope";
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view: { scope } } = this.app;
    if (this.source.meta.messages === 0) return placeholder(context, width, height, "No messages", colours);
    const found = matrix(this.source, scope.from, scope.to + (scope.name === "all" ? 1 : 0));
    const most = found.bytes.reduce((most, value) => Math.max(most, value), 0);
    // Where there is no room beside it, the matrix has no key.
    const isNarrow = width < 520;
    const size = Math.max(20, Math.min(height - 46, width - (isNarrow ? 90 : 320)));
    const [left, top, step] = [74, 24, size / found.size];
    context.fillStyle = colours.band;
    context.fillRect(left, top, size, size);
    // Logarithmic over four decades, so that small values are visible.
    const shade = (/** @type {number} */ value) => 1 + Math.log10(Math.max(value, 1e-9) / most) / 4;
    for (let from = 0; from < found.size; from++) {
      for (let to = 0; to < found.size; to++) {
        const cell = from * found.size + to;
        if (found.counts[cell] <= 0) continue;
        context.fillStyle = heat(most > 0 ? shade(found.bytes[cell]) : 0.5);
        context.fillRect(left + to * step, top + from * step, Math.max(1, step - (step > 6 ? 1 : 0)), Math.max(1, step - (step > 6 ? 1 : 0)));
      }
    }
    this.names(context, found, left, top, step, size);
    if (!isNarrow) this.key(context, left + size + 36, top, most, found);
    this.describe(context, found, left, top, step, size, isNarrow);
  }

  /** @param {number} index @param {number} group */
  name(index, group) {
    if (group === 0) return `${index}`;
    if (index * 2 ** group > 999) return `${index * 2 ** group}…`;
    return `${index * 2 ** group}-${Math.min(this.source.meta.lines, (index + 1) * 2 ** group) - 1}`;
  }

  /** @param {CanvasRenderingContext2D} context @param {{size: number, group: number}} found @param {number} left @param {number} top @param {number} step @param {number} size */
  names(context, found, left, top, step, size) {
    context.fillStyle = this.app.colours.soft;
    const every = Math.max(1, Math.ceil((context.measureText(this.name(found.size - 1, found.group)).width + 10) / step));
    for (let index = 0; index < found.size; index += every) {
      context.textAlign = "center";
      context.fillText(this.name(index, found.group), left + (index + 0.5) * step, top + size + 10);
    }
    context.textAlign = "right";
    for (let index = 0; index < found.size; index += Math.max(1, Math.ceil(14 / step))) {
      context.fillText(this.name(index, found.group), left - 6, top + (index + 0.5) * step);
    }
    context.textAlign = "left";
    context.fillText("from", 4, top - 10);
    context.fillText("to", left + size + 8, top + size + 10);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} x @param {number} top @param {number} most @param {{counts: Float64Array, bytes: Float64Array}} found */
  key(context, x, top, most, found) {
    for (let i = 0; i < 100; i++) {
      context.fillStyle = heat(i / 99);
      context.fillRect(x + i * 1.6, top, 2, 12);
    }
    context.fillStyle = this.app.colours.soft;
    context.fillText(bytes(most / 1e4), x, top + 24);
    context.textAlign = "right";
    context.fillText(bytes(most), x + 161, top + 24);
    context.textAlign = "left";
    const sum = (/** @type {Float64Array} */ values) => values.reduce((all, value) => all + value, 0);
    context.fillStyle = this.app.colours.ink;
    context.fillText(`${count(sum(found.counts))} messages`, x, top + 52);
    context.fillText(`${bytes(sum(found.bytes))} in all`, x, top + 70);
  }

  /** @param {CanvasRenderingContext2D} context @param {{size: number, group: number, counts: Float64Array, bytes: Float64Array}} found @param {number} left @param {number} top @param {number} step @param {number} size @param {boolean} isNarrow */
  describe(context, found, left, top, step, size, isNarrow) {
    if (!this.pointer) return;
    const [to, from] = [Math.floor((this.pointer.x - left) / step), Math.floor((this.pointer.y - top) / step)];
    if (to < 0 || from < 0 || to >= found.size || from >= found.size) return;
    const cell = from * found.size + to;
    const [x, y] = isNarrow ? [left, 10] : [left + size + 36, top + 104];
    context.strokeStyle = this.app.colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left + to * step, top + from * step, step, step);
    context.fillStyle = this.app.colours.ink;
    const [pair, sum] = [`${this.name(from, found.group)} to ${this.name(to, found.group)}:`, `${count(found.counts[cell])} messages, ${bytes(found.bytes[cell])}`];
    context.fillText(isNarrow ? `${pair} ${sum}` : pair, x, y);
    if (!isNarrow) context.fillText(sum, x, y + 18);
  }
}
