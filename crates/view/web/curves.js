// Charts over the time in view: ranks by state, and messages in flight.
import { Area } from "./area.js";
import { LEFT, RIGHT, Surface, placeholder, timeAxis, valueAxis } from "./chart.js";
import { queues, utilisation } from "./gather.js";
import { WAIT, faded } from "./palette.js";
import { brief, bytes } from "./units.js";

/** @typedef {import("./diagram.js").App} App */
/** @typedef {import("./source.js").Source} Source */

/** Returns the layout of a chart, its time axis aligned with the diagram's. @param {Surface} surface @param {App} app */
function layout(surface, app) {
  const box = { left: LEFT, right: surface.width - RIGHT, top: 10, bottom: surface.height - 24 };
  const { from, to } = app.view;
  const samples = Math.max(1, Math.floor(box.right - box.left));
  return { box, samples, axis: { from, to, left: LEFT, scale: (box.right - box.left) / (to - from) } };
}

/** Number of ranks in each kind of state over time. */
export class Utilisation {
  /** @param {App} app @param {Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Number of ranks that compute, communicate or wait, over time" });
    this.box = this.surface.canvas;
    this.area = new Area();
  }

  draw() {
    const context = this.surface.begin();
    const { box, samples, axis } = layout(this.surface, this.app);
    const { colours, view } = this.app;
    const { lines } = this.source.meta;
    if (lines === 0) return placeholder(context, this.surface.width, this.surface.height, "No ranks", colours);
    const y = valueAxis(context, box, lines, brief, colours);
    const kinds = utilisation(this.source, view.from, view.to, samples);
    const top = y(lines);
    this.area.paint(kinds, box.bottom - top, lines, colours);
    this.area.show(context, box.left, top);
    timeAxis(context, axis, box.bottom, box.bottom, colours, true);
    marks(context, this.app, axis, box);
    context.fillStyle = colours.soft;
    context.fillText("ranks", 8, box.top + 2);
  }
}

/** Draws the selection and the time cursor. @param {CanvasRenderingContext2D} context @param {App} app @param {{from: number, scale: number}} axis @param {{left: number, right: number, top: number, bottom: number}} box */
export function marks(context, app, axis, box) {
  const { selection } = app.view;
  if (selection) {
    const [left, right] = [selection.from, selection.to].map((at) => Math.max(box.left, Math.min(box.right, box.left + (at - axis.from) * axis.scale)));
    context.fillStyle = faded(app.colours.cursor, 0.12);
    context.fillRect(left, box.top, right - left, box.bottom - box.top);
  }
  if (app.view.cursor === null) return;
  const x = box.left + (app.view.cursor - axis.from) * axis.scale;
  if (x < box.left || x > box.right) return;
  context.strokeStyle = app.colours.cursor;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, box.top);
  context.lineTo(x, box.bottom);
  context.stroke();
}

/** Messages in flight, and messages arrived and not received. */
export class Queues {
  /** @param {App} app @param {Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Messages in flight and messages arrived but not received, over time" });
    this.box = this.surface.canvas;
    this.inBytes = false;
    this.box.addEventListener("click", () => {
      this.inBytes = !this.inBytes;
      app.redraw();
    });
  }

  draw() {
    const context = this.surface.begin();
    const { box, samples, axis } = layout(this.surface, this.app);
    const { colours, view } = this.app;
    if (this.source.meta.messages === 0) return placeholder(context, this.surface.width, this.surface.height, "No messages", colours);
    const columns = queues(this.source, view.from, view.to, samples);
    const [travelling, waiting] = this.inBytes ? [columns[2], columns[3]] : [columns[0], columns[1]];
    let most = 0;
    for (let i = 0; i < samples; i++) most = Math.max(most, travelling[i], waiting[i]);
    const y = valueAxis(context, box, most, this.inBytes ? bytes : brief, colours);
    timeAxis(context, axis, box.top, box.bottom, colours, true);
    curve(context, waiting, box, y, colours.kinds[WAIT], []);
    curve(context, travelling, box, y, colours.kinds[0], [5, 3]);
    this.legend(context, colours);
    marks(context, this.app, axis, box);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./palette.js").Palette} colours */
  legend(context, colours) {
    const what = this.inBytes ? "bytes" : "messages";
    const texts = [`${what} arrived, not received`, `${what} in flight`, `(click for ${this.inBytes ? "messages" : "bytes"})`];
    let x = LEFT + 12;
    texts.forEach((text, i) => {
      context.font = "12px system-ui, sans-serif";
      const width = context.measureText(text).width;
      context.fillStyle = faded(colours.plot, 0.8);
      context.fillRect(x - 4, 6, width + 36, 18);
      if (i < 2) {
        context.strokeStyle = i === 0 ? colours.kinds[WAIT] : colours.kinds[0];
        context.lineWidth = 2;
        context.setLineDash(i === 0 ? [] : [5, 3]);
        context.beginPath();
        context.moveTo(x, 15);
        context.lineTo(x + 22, 15);
        context.stroke();
        context.setLineDash([]);
      }
      context.fillStyle = i < 2 ? colours.ink : colours.soft;
      context.fillText(text, x + (i < 2 ? 28 : 0), 15);
      x += width + 48;
    });
  }
}

/** @param {CanvasRenderingContext2D} context @param {Float64Array} values @param {{left: number, right: number, bottom: number}} box @param {(value: number) => number} y @param {string} colour @param {number[]} dashes */
function curve(context, values, box, y, colour, dashes) {
  const step = (box.right - box.left) / values.length;
  context.beginPath();
  values.forEach((value, i) => {
    context.lineTo(box.left + i * step, y(value));
    context.lineTo(box.left + (i + 1) * step, y(value));
  });
  context.strokeStyle = colour;
  context.lineWidth = 1.8;
  context.setLineDash(dashes);
  context.stroke();
  context.setLineDash([]);
  context.lineTo(box.right, box.bottom);
  context.lineTo(box.left, box.bottom);
  context.fillStyle = faded(colour, 0.12);
  context.fill();
}
