// The space-time diagram of one timeline: rows of states, messages between them, the critical path,
// and the overlay that follows the mouse.
import { FONT, LEFT, RIGHT, Surface, element, timeAxis } from "./chart.js";
import { find } from "./hover.js";
import { Mouse } from "./mouse.js";
import { faded } from "./palette.js";
import { Plot } from "./plot.js";
import { Rows } from "./rows.js";
import { padding } from "./scene.js";
import { time } from "./units.js";

const BOTTOM = 24;
/** Row height in pixels that a revealed rank gets at least. */
const REVEAL_HEIGHT = 14;

/**
 * State shared by all parts of the page.
 * @typedef {object} App
 * @property {import("./view.js").Viewport} view
 * @property {import("./palette.js").Palette} colours
 * @property {(source: import("./source.js").Source) => import("./shading.js").Shading} shading colours of the states of a timeline
 * @property {boolean} messages
 * @property {boolean} path
 * @property {string | null} renderer requested renderer
 * @property {string} callMarked
 * @property {boolean} selects whether dragging selects without Shift
 * @property {() => void} redraw
 * @property {() => void} touch redraws only the overlays of the diagrams
 * @property {(text: string) => void} announce
 * @property {(diagram: Diagram, chosen: {state: import("./neighbours.js").LineState | null, message: import("./neighbours.js").Sent | null} | null) => void} choose shows the details of a state or message, or none
 */

/** A state, or the ends of a message. @typedef {Pick<import("./hover.js").Found, "state" | "message">} Marked */

/** The diagram of one timeline. */
export class Diagram {
  /** @param {App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.rows = new Rows(source);
    const label = `Space-time diagram of ${source.meta.name}: time from left to right, a row for each rank. Arrow keys move, plus and minus zoom.`;
    this.plot = new Plot(app, source, this.rows);
    this.surface = new Surface("over", { tabindex: "0", role: "img", "aria-label": label });
    this.tip = element("div", "tip", { role: "tooltip", hidden: "" });
    this.box = element("div", "diagram", {}, [this.plot.canvas, this.surface.canvas, this.tip]);
    /** @type {import("./hover.js").Found | null} */
    this.found = null;
    /** What stays marked after it was chosen. @type {Marked | null} */
    this.pinned = null;
    /** @type {{x: number, y: number} | null} */
    this.pointer = null;
    /** Identifies the position last drawn. */
    this.place = "";
    this.mouse = new Mouse(this);
  }

  /** Current mapping of time to pixels. */
  get axis() {
    const { from, to } = this.app.view;
    return { from, to, left: LEFT, scale: this.plotWidth / (to - from) };
  }

  get plotWidth() {
    return Math.max(1, this.surface.canvas.clientWidth - LEFT - RIGHT);
  }

  get plotHeight() {
    return Math.max(1, this.surface.canvas.clientHeight - BOTTOM);
  }

  /** Draws everything; returns whether more frames are needed. */
  draw() {
    this.rows.layout(this.plotHeight);
    const { axis } = this;
    // What was under the pointer may have moved away.
    const place = [axis.from, axis.to, this.rows.scroll, this.rows.height, this.rows.made].join();
    if (place !== this.place) this.show(null);
    this.place = place;
    const isLeft = this.plot.draw(axis, this.plotWidth, this.plotHeight);
    this.drawOver(axis);
    return isLeft;
  }

  /** @param {import("./scene.js").Axis} axis */
  drawOver(axis) {
    const { rows, app, plotWidth, plotHeight } = this;
    const context = this.surface.begin();
    timeAxis(context, axis, 0, plotHeight, app.colours, true);
    this.drawNames(context);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, plotWidth, plotHeight);
    context.clip();
    context.translate(LEFT, 0);
    this.drawEnds(context, axis);
    if (this.pinned) this.drawMarked(context, axis, this.pinned, app.colours.cursor);
    if (this.found) this.drawMarked(context, axis, this.found, app.colours.ink);
    if (app.view.cursor !== null) {
      const x = Math.round((app.view.cursor - axis.from) * axis.scale) + 0.5;
      line(context, app.colours.cursor, 1.5, [x, 0, x, plotHeight]);
    }
    this.drawSelection(context, axis);
    context.restore();
    if (this.rows.list.length * rows.height > plotHeight + 1) this.drawBar(context);
  }

  /** Draws the selection, or the one being made. @param {CanvasRenderingContext2D} context @param {import("./scene.js").Axis} axis */
  drawSelection(context, axis) {
    const { app, plotWidth, plotHeight, mouse: { drag }, pointer } = this;
    const { selection } = app.view;
    const isNew = drag?.kind === "select" && drag.moved && pointer;
    if (!isNew && !selection) return;
    const ends = isNew ? [drag.x, pointer.x] : [selection?.from ?? 0, selection?.to ?? 0].map((at) => (at - axis.from) * axis.scale);
    const [left, right] = [Math.max(-2, Math.min(...ends)), Math.min(plotWidth + 2, Math.max(...ends))];
    if (right < 0 || left > plotWidth) return;
    context.fillStyle = faded(app.colours.cursor, 0.12);
    context.fillRect(left, 0, right - left, plotHeight);
    for (const x of [left, right]) line(context, app.colours.cursor, 1, [x, 0, x, plotHeight]);
    label(context, time(Math.abs(ends[1] - ends[0]) / axis.scale), (left + right) / 2, 16, app.colours);
  }

  /** Draws the names of the visible rows, as many as fit. @param {CanvasRenderingContext2D} context */
  drawNames(context) {
    const { rows, plotHeight, app } = this;
    const [first, last] = rows.seen;
    const step = Math.max(1, Math.ceil(14 / rows.height));
    context.textAlign = "right";
    context.font = FONT;
    for (let place = Math.ceil(first / step) * step; place < last; place += step) {
      const row = rows.list[place];
      const y = (place + 0.5) * rows.height - rows.scroll;
      if (y < 4 || y > plotHeight - 2) continue;
      const folds = row.group > 0 && rows.height >= 9 && this.source.hasLines ? (rows.isExpanded(row) ? "▾ " : "▸ ") : "";
      context.fillStyle = row.group === 0 && rows.group > 0 ? app.colours.soft : app.colours.ink;
      context.fillText(folds + rows.name(row), LEFT - 8, y);
    }
    context.textAlign = "left";
    context.save();
    context.translate(9, plotHeight / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillStyle = app.colours.soft;
    context.fillText(rows.group > 0 ? "ranks, in groups" : "rank", 0, 0);
    context.restore();
  }

  /** Shades the time before the beginning and after the end. @param {CanvasRenderingContext2D} context @param {import("./scene.js").Axis} axis */
  drawEnds(context, axis) {
    context.fillStyle = faded(this.app.colours.soft, 0.1);
    const [begin, end] = [0, this.source.meta.span].map((at) => (at - axis.from) * axis.scale);
    if (begin > 0) context.fillRect(0, 0, begin, this.plotHeight);
    if (end < this.plotWidth) context.fillRect(end, 0, this.plotWidth - end, this.plotHeight);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./scene.js").Axis} axis @param {Marked} found @param {string} colour of the outline of a state */
  drawMarked(context, axis, found, colour) {
    const { rows, app } = this;
    const x = (/** @type {number} */ at) => (at - axis.from) * axis.scale;
    if (found.state) {
      const pad = padding(rows.height);
      const top = rows.middle(found.state.line) - rows.height / 2 + pad;
      const [left, right] = [Math.max(-4, x(found.state.from)), Math.min(this.plotWidth + 4, x(found.state.to))];
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.strokeRect(left, top, Math.max(1, right - left), rows.height - 2 * pad);
      const { cause } = found.state;
      if (cause) {
        const from = [x(cause.at), rows.middle(cause.line)];
        line(context, app.colours.cursor, 2, [from[0], from[1], right, rows.middle(found.state.line)]);
        context.beginPath();
        context.arc(from[0], from[1], 4, 0, 2 * Math.PI);
        context.fillStyle = app.colours.cursor;
        context.fill();
      }
    }
    if (found.message) {
      const { from, to, sent, arrived } = found.message;
      line(context, app.colours.cursor, 2.5, [x(sent), rows.middle(from), x(arrived), rows.middle(to)]);
    }
  }

  /** Draws the scroll bar. @param {CanvasRenderingContext2D} context */
  drawBar(context) {
    const { rows, plotHeight } = this;
    const all = rows.list.length * rows.height;
    context.fillStyle = faded(this.app.colours.soft, 0.5);
    context.fillRect(this.surface.width - 6, (rows.scroll / all) * plotHeight, 4, (plotHeight / all) * plotHeight);
  }

  /** Returns the time at a pixel of the plot. @param {number} x */
  timeAt(x) {
    return this.app.view.from + x / this.axis.scale;
  }

  /** Zooms rows around a height. @param {number} by @param {number} y */
  zoomRows(by, y) {
    const { rows } = this;
    const place = (rows.scroll + y) / (rows.list.length * rows.height);
    rows.zoom = Math.max(1, Math.min((40 * rows.lines) / this.plotHeight + 1, rows.zoom * by));
    rows.layout(this.plotHeight);
    rows.scroll = place * rows.list.length * rows.height - y;
    this.app.redraw();
  }

  /** @param {number} by pixels */
  scrollRows(by) {
    this.rows.scroll += by;
    this.app.redraw();
  }

  /** Shows a tooltip for what is under the pointer. */
  point() {
    if (!this.pointer) return;
    const { x, y } = this.pointer;
    const inside = x >= 0 && y >= 0 && x <= this.plotWidth && y <= this.plotHeight;
    this.show(inside ? find(this.source, this.rows, this.axis, x, y, this.app.messages) : null);
  }

  /** @param {import("./hover.js").Found | null} found */
  show(found) {
    const changed = this.found !== found;
    this.found = found;
    this.tip.hidden = !found;
    if (found && this.pointer) {
      const facts = found.facts.flatMap(([name, value]) => [element("dt", "", {}, [name]), element("dd", "", {}, [value])]);
      this.tip.replaceChildren(element("strong", "", {}, [found.title]), element("dl", "", {}, facts));
      const left = this.pointer.x + LEFT + 16;
      const fits = left + this.tip.offsetWidth < this.box.clientWidth;
      this.tip.style.left = `${fits ? left : Math.max(0, left - 32 - this.tip.offsetWidth)}px`;
      this.tip.style.top = `${Math.max(0, Math.min(this.pointer.y + 14, this.box.clientHeight - this.tip.offsetHeight))}px`;
    }
    if (changed) this.app.touch();
  }

  /** Brings a state with its cause, or a message, into view, at the current zoom if it can be seen there. @param {Marked} marked @param {boolean} [isClose] whether to zoom to it in any case */
  bring({ state, message }, isClose = false) {
    const [begin, end] = message ? [message.sent, message.arrived] : [Math.min(state?.from ?? 0, state?.cause?.at ?? Infinity), state?.to ?? 0];
    const { view } = this.app;
    const length = Math.max(end - begin, view.span * 1e-7);
    const isSeen = length < 0.9 * view.width && length > view.width / 300;
    if (isClose || !isSeen) view.set(begin - 0.6 * length, end + 0.6 * length);
    else if (begin < view.from || end > view.to) view.centre((begin + end) / 2);
    this.reveal(message ? message.to : state?.line ?? 0);
  }

  /** Marks a state or message until another is. @param {Marked | null} marked */
  mark(marked) {
    this.pinned = marked;
    this.app.touch();
  }

  /** Scrolls a rank into view, unless it is there. @param {number} rank */
  reveal(rank) {
    this.rows.layout(this.plotHeight);
    const middle = this.rows.middle(rank);
    const isSingle = this.rows.group === 0 || this.rows.single.has(rank);
    if (isSingle && this.rows.height >= REVEAL_HEIGHT && middle > 0 && middle < this.plotHeight) return this.app.redraw();
    this.rows.reveal(rank, REVEAL_HEIGHT);
    this.app.redraw();
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} colour @param {number} width @param {number[]} ends */
function line(context, colour, width, [x0, y0, x1, y1]) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {import("./palette.js").Palette} colours */
function label(context, text, x, y, colours) {
  context.textAlign = "center";
  const width = context.measureText(text).width + 12;
  context.fillStyle = colours.ink;
  context.fillRect(x - width / 2, y - 10, width, 20);
  context.fillStyle = colours.plot;
  context.fillText(text, x, y);
  context.textAlign = "left";
}
