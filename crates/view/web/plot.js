// The plot of a diagram: states, messages and the critical path, composed of slices.
import { CanvasRenderer } from "./canvas.js";
import { element } from "./chart.js";
import { selectRenderer } from "./gl.js";
import { drawNames } from "./names.js";
import { countMessages, coverTraffic, drawMessages, drawPath, drawStates } from "./scene.js";
import { Slices } from "./slices.js";
import { brief } from "./units.js";

/** @typedef {import("./scene.js").Axis} Axis */

/** The plot of one diagram. */
export class Plot {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source @param {import("./rows.js").Rows} rows */
  constructor(app, source, rows) {
    this.app = app;
    this.source = source;
    this.rows = rows;
    this.canvas = element("canvas", "plot", { "aria-hidden": "true" });
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.renderer = selectRenderer(app.renderer, () => this.lose());
    this.slices = new Slices(source.meta.span, (canvas, axis, width) => this.paint(canvas, axis, width));
    /** Number of messages in view for which lines are drawn: the more, the fainter. */
    this.weight = 0;
    this.note = "";
    this.scale = 0;
    this.shading = app.shading(source);
  }

  /** Falls back to the 2D canvas when the WebGL context is lost. */
  lose() {
    this.renderer = new CanvasRenderer();
    this.slices.clear();
    this.app.redraw();
  }

  /** Draws what is in view; returns whether more frames are needed. @param {Axis} axis @param {number} width @param {number} height */
  draw(axis, width, height) {
    const { canvas, rows, app, source } = this;
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    // Another zoom needs other tiles.
    if (!(Math.abs(axis.scale / this.scale - 1) < 1e-9)) {
      this.source.drop();
      this.scale = axis.scale;
      this.weight = 0;
    }
    this.weigh(axis);
    this.shading = app.shading(source);
    return this.slices.show(this.context, {
      from: axis.from, scale: axis.scale, height, ratio, look: [rows.made, this.shading.key, app.messages, app.path, app.callMarked].join(),
      rowHeight: rows.height, scroll: rows.scroll, weight: this.weight, version: source.version, isBusy: source.isBusy,
    });
  }

  /** Counts the messages in view. The weight changes only when they are twice or half as many, so that slices stay valid. @param {Axis} axis */
  weigh(axis) {
    this.note = "";
    if (!this.app.messages) return;
    const { single, many } = countMessages(coverTraffic(this.source, axis), axis);
    const all = single + many;
    if (all > 2 * this.weight || 2 * all < this.weight) this.weight = all;
    this.note = many > 0 ? `${brief(all)} messages, in groups` : `${brief(all)} messages`;
  }

  /** Draws a slice; returns whether tiles were missing. @param {HTMLCanvasElement} canvas @param {Axis} axis @param {number} width */
  paint(canvas, axis, width) {
    const { renderer, source, rows, app } = this;
    const call = app.callMarked ? source.meta.calls.indexOf(app.callMarked) + 1 : 0;
    source.missing = 0;
    renderer.begin(canvas, devicePixelRatio || 1, this.shading);
    drawStates(renderer, source, rows, axis, call);
    if (app.messages || app.path) {
      // Messages sent before the slice may reach into it.
      const parts = coverTraffic(source, { ...axis, from: axis.from - (axis.to - axis.from) });
      if (app.messages) drawMessages(renderer, parts, rows, axis, width, this.weight, app.colours.message);
      if (app.path) drawPath(renderer, parts, rows, axis, width, app.colours);
    }
    renderer.end();
    const context = canvas.getContext("2d");
    const ratio = devicePixelRatio || 1;
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (context) drawNames(context, source, rows, axis, width, this.shading, call);
    return source.missing > 0;
  }
}
