// Helpers for 2D canvases and DOM elements.
import { faded } from "./palette.js";
import { ticks, timestamp } from "./units.js";

/** Margins in pixels of everything drawn over time, so that time axes align. */
export const LEFT = 74;
export const RIGHT = 10;
export const FONT = "12px system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

/**
 * Creates an element with a class, attributes and children. Strings become text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [name]
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, name = "", attributes = {}, children = []) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A canvas that fills its box, in device pixels. */
export class Surface {
  /** @param {string} name @param {Record<string, string>} [attributes] */
  constructor(name, attributes = {}) {
    this.canvas = element("canvas", name, attributes);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.width = 0;
    this.height = 0;
  }

  /** Resizes to its box and clears. */
  begin() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    const [w, h] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.context.font = FONT;
    this.context.textBaseline = "middle";
    this.context.textAlign = "left";
    return this.context;
  }
}

/**
 * Draws a time axis below a diagram or a chart.
 * @param {CanvasRenderingContext2D} context
 * @param {{from: number, to: number, left: number, scale: number}} axis
 * @param {number} top
 * @param {number} bottom
 * @param {import("./palette.js").Palette} colours
 * @param {boolean} labels
 */
export function timeAxis(context, axis, top, bottom, colours, labels) {
  const width = (axis.to - axis.from) * axis.scale;
  const { step, places } = ticks(axis.from, axis.to, width / 110);
  context.lineWidth = 1;
  context.strokeStyle = faded(colours.soft, 0.28);
  context.beginPath();
  for (const at of places) {
    const x = Math.round(axis.left + (at - axis.from) * axis.scale) + 0.5;
    context.moveTo(x, top);
    context.lineTo(x, bottom + (labels ? 4 : 0));
  }
  context.stroke();
  if (!labels) return;
  context.fillStyle = colours.soft;
  context.textAlign = "center";
  for (const at of places) {
    const text = at === 0 ? "0" : timestamp(at, step);
    const half = context.measureText(text).width / 2;
    // The last label stays inside, the first may reach below the names.
    context.fillText(text, Math.min(axis.left + (at - axis.from) * axis.scale, axis.left + width + RIGHT - half - 1), bottom + 13);
  }
  context.textAlign = "left";
}

/**
 * Draws a value axis; returns the function from values to pixels.
 * @param {CanvasRenderingContext2D} context
 * @param {{left: number, right: number, top: number, bottom: number}} box
 * @param {number} most
 * @param {(value: number) => string} name
 * @param {import("./palette.js").Palette} colours
 */
export function valueAxis(context, box, most, name, colours) {
  const top = most > 0 ? most * 1.05 : 1;
  const y = (/** @type {number} */ value) => box.bottom - (value / top) * (box.bottom - box.top);
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  context.textAlign = "right";
  context.beginPath();
  for (const value of ticks(0, top, Math.max(2, (box.bottom - box.top) / 34)).places) {
    const at = Math.round(y(value)) + 0.5;
    context.moveTo(box.left, at);
    context.lineTo(box.right, at);
    context.fillText(name(value), box.left - 6, at);
  }
  context.stroke();
  context.textAlign = "left";
  return y;
}

/** Shows a message instead of a chart. @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {string} text @param {import("./palette.js").Palette} colours */
export function placeholder(context, width, height, text, colours) {
  context.fillStyle = colours.soft;
  context.textAlign = "center";
  context.fillText(text, width / 2, height / 2);
  context.textAlign = "left";
}

/** Creates a table. @param {string} caption @param {string[]} heads @param {(string | Node)[][]} rows */
export function table(caption, heads, rows) {
  const cell = (/** @type {"th" | "td"} */ tag) => (/** @type {string | Node} */ content) => element(tag, "", {}, [content]);
  return element("table", "", {}, [
    element("caption", "", {}, [caption]),
    element("thead", "", {}, [element("tr", "", {}, heads.map((text) => element("th", "", { scope: "col" }, [text])))]),
    element("tbody", "", {}, rows.map((row) => element("tr", "", {}, row.map(cell("td"))))),
  ]);
}
