// Kiviat diagram: an axis per rank from the centre outwards, the share of its time that it computes,
// and that it does not wait. A round shape is a balanced program.
import { Surface, placeholder } from "./chart.js";
import { WAIT, faded } from "./palette.js";
import { percent } from "./units.js";

/** Upper limit of axes; more ranks share them in groups. */
const MAX_AXES = 128;

/** The Kiviat diagram. */
export class Kiviat {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source @param {import("./totals.js").Totals} totals */
  constructor(app, source, totals) {
    this.app = app;
    this.source = source;
    this.totals = totals;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Kiviat diagram: share of time that each rank computes, and that it is busy" });
    this.box = this.surface.canvas;
  }

  get follows() {
    return "scope";
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view: { scope } } = this.app;
    const { lines, group, kinds } = this.totals.of(scope);
    const { ranks, span } = this.source.meta;
    const length = Math.min(scope.to, span) - scope.from;
    if (lines.length === 0 || length <= 0) return placeholder(context, width, height, kinds ? "This page does not embed every state" : "No states", colours);
    const size = 2 ** group;
    const axes = Math.min(MAX_AXES, Math.ceil(ranks / size));
    const [compute, busy] = [new Float64Array(axes), new Float64Array(axes)];
    const counts = new Float64Array(axes);
    for (let index = 0; index < Math.ceil(ranks / size); index++) {
      const axis = Math.floor((index * axes) / Math.ceil(ranks / size));
      counts[axis] += Math.min(size, ranks - index * size) * length;
      compute[axis] += lines[index][0];
      busy[axis] += lines[index].slice(0, WAIT).reduce((sum, value) => sum + value, 0);
    }
    const share = (/** @type {Float64Array} */ sums) => Array.from(sums, (sum, axis) => Math.min(1, sum / Math.max(1, counts[axis])));
    const radius = Math.max(20, Math.min(height / 2 - 22, width / 2 - 40));
    const centre = { x: Math.min(width / 2, radius + 60), y: height / 2 };
    this.web(context, centre, radius, axes, ranks);
    this.shape(context, centre, radius, share(busy), colours.kinds[1]);
    this.shape(context, centre, radius, share(compute), colours.kinds[0]);
    this.key(context, centre.x + radius + 50, share(compute), share(busy));
  }

  /** @param {{x: number, y: number}} centre @param {number} radius @param {number} axis @param {number} axes */
  at(centre, radius, axis, axes) {
    const angle = (2 * Math.PI * axis) / axes - Math.PI / 2;
    return [centre.x + radius * Math.cos(angle), centre.y + radius * Math.sin(angle)];
  }

  /** @param {CanvasRenderingContext2D} context @param {{x: number, y: number}} centre @param {number} radius @param {number} axes @param {number} ranks */
  web(context, centre, radius, axes, ranks) {
    const { colours } = this.app;
    context.strokeStyle = colours.grid;
    for (const share of [0.25, 0.5, 0.75, 1]) {
      context.beginPath();
      context.arc(centre.x, centre.y, share * radius, 0, 2 * Math.PI);
      context.stroke();
    }
    context.fillStyle = colours.soft;
    context.textAlign = "center";
    const every = Math.max(1, Math.ceil(axes / 32));
    for (let axis = 0; axis < axes; axis += every) {
      context.beginPath();
      context.moveTo(centre.x, centre.y);
      context.lineTo(...this.end(centre, radius, axis, axes));
      context.stroke();
      const [x, y] = this.at(centre, radius + 11, axis, axes);
      context.fillText(String(Math.floor((axis * ranks) / axes)), x, y);
    }
    context.textAlign = "left";
  }

  /** @param {{x: number, y: number}} centre @param {number} radius @param {number} axis @param {number} axes @returns {[number, number]} */
  end(centre, radius, axis, axes) {
    const [x, y] = this.at(centre, radius, axis, axes);
    return [x, y];
  }

  /** @param {CanvasRenderingContext2D} context @param {{x: number, y: number}} centre @param {number} radius @param {number[]} shares @param {string} colour */
  shape(context, centre, radius, shares, colour) {
    context.beginPath();
    shares.forEach((share, axis) => context.lineTo(...this.end(centre, share * radius, axis, shares.length)));
    context.closePath();
    context.fillStyle = faded(colour, 0.35);
    context.fill();
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.stroke();
    context.lineWidth = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} x @param {number[]} compute @param {number[]} busy */
  key(context, x, compute, busy) {
    if (x + 120 > this.surface.width) return;
    const { colours } = this.app;
    /** @type {[string, string, number[]][]} */
    const rows = [["computing", colours.kinds[0], compute], ["computing or communicating", colours.kinds[1], busy]];
    rows.forEach(([name, colour, shares], i) => {
      const y = 40 + 44 * i;
      context.fillStyle = colour;
      context.fillRect(x, y - 6, 12, 12);
      context.fillStyle = colours.ink;
      context.fillText(name, x + 18, y);
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      context.fillStyle = colours.soft;
      context.fillText(`mean ${percent(mean)}, ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`, x + 18, y + 17);
    });
  }
}
