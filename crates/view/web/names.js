// Names of calls on the bars of a diagram, where there is room.
import { rgb } from "./palette.js";
import { buckets, coverStates, padding } from "./scene.js";
import { span } from "./tiles.js";

const FONT = "11px system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";
/** Minimum height in pixels of a bar that carries a name. */
const MIN_HEIGHT = 12;
/** Space in pixels to the left and right of a name, and from one repetition to the next on a long bar. */
const [SPACE, REPEAT] = [4, 384];

/** Widths of names in pixels. @type {Map<string, number>} */
const widths = new Map();

/** @param {CanvasRenderingContext2D} context @param {string} text */
function widthOf(context, text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = context.measureText(text).width));
  return width;
}

/** Returns the longest form of a name that fits. @param {CanvasRenderingContext2D} context @param {string} name @param {number} room */
function fitting(context, name, room) {
  for (const text of [name, name.replace(/^MPI_/, "")]) if (widthOf(context, text) <= room) return text;
  return "";
}

/**
 * Draws the names of calls in a window of `width` pixels.
 * @param {CanvasRenderingContext2D} context
 * @param {import("./source.js").Source} source
 * @param {import("./rows.js").Rows} rows
 * @param {import("./scene.js").Axis} axis
 * @param {number} width
 * @param {import("./shading.js").Shading} shading
 * @param {number} marked the call that is highlighted, 0 for none
 */
export function drawNames(context, source, rows, axis, width, shading, marked) {
  const pad = padding(rows.height);
  const height = rows.height - 2 * pad;
  if (height < MIN_HEIGHT) return;
  context.font = FONT;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { group, row, tops } of buckets(rows, pad)) {
    if (group > 0) continue;
    for (const { tile, from, to } of coverStates(source, axis, group, row)) {
      if (tile.kind !== "states") continue;
      const slots = shading.column(tile);
      const least = 20 / (axis.scale * tile.unit);
      for (let i = 0; i < tile.count; i++) {
        const call = tile.call[i];
        const isNamed = call > 0 && tile.to[i] - tile.from[i] >= least && !((shading.hidden >> slots[i]) & 1) && (marked === 0 || call === marked);
        if (!isNamed || Number.isNaN(tops[tile.row[i]])) continue;
        const [begin, end] = span(tile, i);
        if (end <= Math.max(from, axis.from) || begin >= Math.min(to, axis.to)) continue;
        const isWait = shading.isHatched && tile.what[i] === 4;
        const ground = isWait ? shading.colours.tint : shading.shades[slots[i]];
        const [left, right] = [begin, end].map((at) => (at - axis.from) * axis.scale);
        repeat(context, (source.meta.functions ?? source.meta.calls)[call - 1] ?? "", left, right, width, tops[tile.row[i]] + height / 2, ground);
      }
    }
  }
}

/** Draws a name at the beginning of a bar and, on a long one, again and again. @param {CanvasRenderingContext2D} context @param {string} name @param {number} left @param {number} right @param {number} width @param {number} y @param {string} ground */
function repeat(context, name, left, right, width, y, ground) {
  const text = fitting(context, name, right - left - 2 * SPACE);
  if (!text) return;
  const wide = widthOf(context, text);
  for (let turn = Math.max(0, Math.floor((-wide - left) / REPEAT)); left + turn * REPEAT < width; turn++) {
    const x = Math.round(left + SPACE + turn * REPEAT);
    if (x + wide + SPACE > right) return;
    context.fillStyle = ground;
    context.fillRect(x - 2, y - 6, wide + 4, 12);
    context.fillStyle = isLight(ground) ? "#10181f" : "#ffffff";
    context.fillText(text, x, y + 0.5);
  }
}

/** Returns whether dark text is legible on a colour. @param {string} colour */
function isLight(colour) {
  const [red, green, blue] = rgb(colour);
  return 0.3 * red + 0.59 * green + 0.11 * blue > 0.5;
}
