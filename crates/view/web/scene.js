// Content of a diagram: selects the tiles in view and draws their states, messages and the critical
// path.
import { binned } from "./bins.js";
import { columns, levelFor } from "./source.js";
import { BINS, ROWS } from "./tiles.js";

/** @typedef {import("./source.js").Source} Source */
/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./tiles.js").TrafficTile} TrafficTile */
/** @typedef {import("./canvas.js").Renderer} Renderer */
/** A tile with the interval it shows. @template T @typedef {{tile: T, from: number, to: number}} Part */
/** @typedef {{from: number, to: number, left: number, scale: number}} Axis */

/** Upper limit of messages in view that are drawn with a dot at their arrival. */
const MAX_DOTTED = 400;
/** Approximate upper limit of flows drawn per tile, those with the most messages. About five tiles are in view. */
const MAX_FLOWS = 600;
/** Pixels that lines are drawn beyond the window, since they have a width. */
const OVERDRAW = 5;

/** Cache of bins computed from tiles of states. @type {WeakMap<StateTile, Map<string, BinTile>>} */
const grouped = new WeakMap();
/** Cache of the flows drawn per tile. @type {WeakMap<TrafficTile, number[]>} */
const strongest = new WeakMap();

/**
 * Returns the tiles that cover a window, with the interval each shows.
 * @template T
 * @param {Source} source
 * @param {Axis} axis
 * @param {(level: number, column: number) => T | null} get
 * @returns {Part<T>[]}
 */
export function cover(source, axis, get) {
  const level = levelFor(1 / axis.scale, source.meta.top);
  const width = BINS * 2 ** level;
  /** @type {Part<T>[]} */
  const parts = [];
  for (const column of columns(level, axis.from, axis.to, source.meta.span)) {
    const tile = get(level, column);
    const last = parts[parts.length - 1];
    if (last && last.tile === tile) last.to = (column + 1) * width;
    else if (tile) parts.push({ tile, from: column * width, to: (column + 1) * width });
  }
  return parts;
}

/** Returns the tiles of states that cover a window. @param {Source} source @param {Axis} axis @param {number} group @param {number} row */
export function coverStates(source, axis, group, row) {
  return cover(source, axis, (level, column) => {
    const tile = source.states(group, level, row, column);
    return tile?.kind === "states" && group > 0 ? asBins(source, tile, level, column) : tile;
  });
}

/** @param {Source} source @param {StateTile} tile @param {number} level @param {number} column */
function asBins(source, tile, level, column) {
  let known = grouped.get(tile);
  if (!known) grouped.set(tile, (known = new Map()));
  const key = `${level}/${column}`;
  let bins = known.get(key);
  if (!bins) {
    const lines = (/** @type {number} */ row) => {
      const first = (tile.firstRow + row) * 2 ** tile.group;
      return Math.max(1, Math.min(2 ** tile.group, source.meta.lines - first));
    };
    known.set(key, (bins = binned(tile, level, column, lines)));
  }
  return bins;
}

/** Returns the tiles of messages that cover a window. @param {Source} source @param {Axis} axis */
export function coverTraffic(source, axis) {
  return cover(source, axis, (level, column) => source.traffic(level, column));
}

/**
 * Groups the visible rows by tile.
 * @param {import("./rows.js").Rows} rows
 * @param {number} pad
 */
export function buckets(rows, pad) {
  /** @type {Map<string, {group: number, row: number, tops: Float32Array}>} */
  const found = new Map();
  const [first, last] = rows.seen;
  for (let place = first; place < last; place++) {
    const { group, index } = rows.list[place];
    const key = `${group}/${Math.floor(index / ROWS)}`;
    let bucket = found.get(key);
    if (!bucket) {
      bucket = { group, row: Math.floor(index / ROWS), tops: new Float32Array(ROWS).fill(NaN) };
      found.set(key, bucket);
    }
    bucket.tops[index % ROWS] = place * rows.height - rows.scroll + pad;
  }
  return found.values();
}

/** Returns the padding of a row in pixels, above and below. @param {number} height */
export function padding(height) {
  return height < 8 ? 0 : Math.min(5, Math.round(height * 0.12));
}

/**
 * Draws the states in view.
 * @param {Renderer} renderer
 * @param {Source} source
 * @param {import("./rows.js").Rows} rows
 * @param {Axis} axis
 * @param {number} call
 */
export function drawStates(renderer, source, rows, axis, call) {
  const pad = padding(rows.height);
  const height = rows.height - 2 * pad;
  for (const { group, row, tops } of buckets(rows, pad)) {
    for (const { tile, from, to } of coverStates(source, axis, group, row)) {
      renderer.clip(Math.max(0, (from - axis.from) * axis.scale), (to - axis.from) * axis.scale);
      if (tile.kind === "states") {
        renderer.states(tile, axis.from, axis.scale, tops, height, call);
      } else {
        const width = BINS * 2 ** tile.level * axis.scale;
        renderer.bins(tile, (tile.base - axis.from) * axis.scale, width, tops, height);
      }
    }
  }
}

/**
 * Visits each message in view once.
 * @param {Part<TrafficTile>[]} parts
 * @param {(messages: import("./tiles.js").Messages, i: number) => void} visit
 */
export function eachMessage(parts, visit) {
  parts.forEach(({ tile, from, to }, place) => {
    const { messages } = tile;
    if (!messages) return;
    for (let i = 0; i < tile.count; i++) {
      const sent = messages.sent[i];
      // A message in several tiles is shown by the one in which it is sent, or by the first in
      // view.
      if (sent < to && (sent >= from || place === 0)) visit(messages, i);
    }
  });
}

/** Counts the messages in flight in a window: individual ones, and those in flows. @param {Part<TrafficTile>[]} parts @param {Axis} axis */
export function countMessages(parts, axis) {
  let [single, many] = [0, 0];
  eachMessage(parts, (messages, i) => {
    if (messages.sent[i] < axis.to && messages.sent[i] + messages.travel[i] >= axis.from) single += 1;
  });
  for (const { tile, from, to } of parts) {
    if (!tile.flows) continue;
    const width = 2 ** tile.level;
    const [begin, end] = [Math.max(from, axis.from), Math.min(to, axis.to)];
    for (let bin = 0; bin < BINS; bin++) {
      const at = tile.base + bin * width;
      if (at < end && at + width > begin) many += tile.queues[4 * BINS + bin];
    }
  }
  return { single, many };
}

/** Returns the flows with the most messages, largest first; of equal ones an evenly spaced selection. @param {TrafficTile} tile */
function chosen(tile) {
  const { flows } = tile;
  let list = strongest.get(tile);
  if (!flows || list) return list ?? [];
  // Flows within one row would only hide it.
  list = Array.from(flows.count.keys()).filter((i) => flows.from[i] !== flows.to[i]);
  list.sort((one, other) => flows.count[other] - flows.count[one] || one - other);
  if (list.length > MAX_FLOWS) {
    const least = flows.count[list[MAX_FLOWS]];
    const above = list.findIndex((i) => flows.count[i] === least);
    const equal = list.filter((i) => flows.count[i] === least);
    const step = equal.length / Math.max(1, MAX_FLOWS - above);
    list = [...list.slice(0, above), ...equal.filter((_, place) => Math.floor((place + 1) / step) > Math.floor(place / step))];
  }
  strongest.set(tile, list);
  return list;
}

/**
 * Visits each flow that is drawn, with the time in the middle of its bin.
 * @param {Part<TrafficTile>[]} parts
 * @param {(flows: import("./tiles.js").Flows, i: number, at: number, tile: TrafficTile) => void} visit
 */
export function eachFlow(parts, visit) {
  for (const { tile, from, to } of parts) {
    if (!tile.flows) continue;
    const width = (BINS / tile.flowBins) * 2 ** tile.level;
    for (const i of chosen(tile)) {
      const at = tile.base + (tile.flows.bin[i] + 0.5) * width;
      if (at >= from && at < to) visit(tile.flows, i, at, tile);
    }
  }
}

/**
 * Clips a line to a window and adds it; returns whether anything is left. Lines from or to hidden rows (NaN) are skipped.
 * @param {number[]} lines
 * @param {number} width of the window
 * @param {[number, number, number, number]} ends
 * @param {number} wide
 * @param {number} alpha
 * @returns {boolean}
 */
function add(lines, width, [left, top, right, end], wide, alpha) {
  // Where clocks differ, messages arrive before they are sent.
  if (right < left) return add(lines, width, [right, end, left, top], wide, alpha);
  if (right < -OVERDRAW || left > width + OVERDRAW || Number.isNaN(top + end)) return false;
  const [from, to] = [Math.max(left, -OVERDRAW), Math.min(right, width + OVERDRAW)];
  const slope = right > left ? (end - top) / (right - left) : 0;
  lines.push(from, top + (from - left) * slope, to, end - (right - to) * slope, wide, alpha);
  return true;
}

/**
 * Draws the messages of a window of `width` pixels.
 * @param {Renderer} renderer
 * @param {Part<TrafficTile>[]} parts
 * @param {import("./rows.js").Rows} rows
 * @param {Axis} axis
 * @param {number} width
 * @param {number} weight number of messages in view
 * @param {string} colour
 */
export function drawMessages(renderer, parts, rows, axis, width, weight, colour) {
  /** @type {number[][]} */
  const [lines, dots] = [[], []];
  const x = (/** @type {number} */ at) => (at - axis.from) * axis.scale;
  const isHidden = (/** @type {number} */ top, /** @type {number} */ end) => Math.max(top, end) < 0 || Math.min(top, end) > rows.room;
  const alpha = Math.max(0.12, Math.min(0.75, 14 / Math.sqrt(weight + 1)));
  eachMessage(parts, (messages, i) => {
    const [left, right] = [x(messages.sent[i]), x(messages.sent[i] + messages.travel[i])];
    if (Math.max(left, right) < -OVERDRAW || Math.min(left, right) > width + OVERDRAW) return;
    const [top, end] = [rows.middle(messages.from[i]), rows.middle(messages.to[i])];
    if (isHidden(top, end) || (top === end && rows.group > 0)) return;
    if (add(lines, width, [left, top, right, end], 1, alpha) && weight <= MAX_DOTTED) dots.push(right - 2, end, right + 2, end, 4, Math.min(1, alpha + 0.1));
  });
  eachFlow(parts, (flows, i, at, tile) => {
    const size = 2 ** tile.group;
    const [top, end] = [flows.from[i], flows.to[i]].map((group) => rows.middle(Math.min(group * size + (size >> 1), rows.source.meta.lines - 1)));
    if (top === end || isHidden(top, end)) return;
    // Quantized, so that many lines have the same width and are drawn together.
    const strength = Math.round(4 * Math.log10(1 + flows.count[i])) / 4;
    add(lines, width, [x(at), top, x(at + flows.travel[i]), end], 0.6 + 0.5 * strength, Math.min(0.5, 0.08 + 0.06 * strength));
  });
  renderer.lines(lines, colour);
  renderer.lines(dots, colour);
}

/**
 * Draws the critical path in a window of `width` pixels, with a halo, so that it is visible on all colours.
 * @param {Renderer} renderer
 * @param {Part<TrafficTile>[]} parts
 * @param {import("./rows.js").Rows} rows
 * @param {Axis} axis
 * @param {number} width
 * @param {import("./palette.js").Palette} colours
 */
export function drawPath(renderer, parts, rows, axis, width, colours) {
  /** @type {number[][]} */
  const [lines, halo] = [[], []];
  const thick = Math.max(1.5, Math.min(4, rows.height / 5));
  const x = (/** @type {number} */ at) => (at - axis.from) * axis.scale;
  const both = (/** @type {[number, number, number, number]} */ ends, /** @type {number} */ wide) => {
    if (add(lines, width, ends, wide, 1)) add(halo, width, ends, wide + 2.5, 0.85);
  };
  for (const { tile, from, to } of parts) {
    const { path } = tile;
    for (let i = 0; i < path.line.length; i++) {
      if (path.to[i] < from || path.from[i] > to) continue;
      const y = rows.middle(path.line[i]);
      both([x(path.from[i]), y, x(path.to[i]), y], thick);
      if (i + 1 < path.line.length) both([x(path.to[i]), y, x(path.from[i + 1]), rows.middle(path.line[i + 1])], Math.max(1.2, thick * 0.6));
    }
  }
  renderer.lines(halo, colours.halo);
  renderer.lines(lines, colours.path);
}
