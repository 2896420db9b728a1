// What a diagram draws: which tiles are seen, and the states, messages and the critical path in them.
import { binned } from "./bins.js";
import { columns, levelFor } from "./source.js";
import { BINS, ROWS } from "./tiles.js";

/** @typedef {import("./source.js").Source} Source */
/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./tiles.js").TrafficTile} TrafficTile */
/** @typedef {import("./canvas.js").Renderer} Renderer */
/** A tile with the part of time that it is to show. @template T @typedef {{tile: T, from: number, to: number}} Part */
/** @typedef {{from: number, to: number, left: number, scale: number}} Axis */

/** At most so many single messages are drawn with a dot where they arrive. */
const FEW = 400;
/** At most about so many flows between groups are drawn, those with the most messages. */
const MOST_FLOWS = 3000;

/** Tiles of states by the tile that they are bins of. @type {WeakMap<StateTile, Map<string, BinTile>>} */
const grouped = new WeakMap();

/**
 * Tiles that cover a window, with the part of time that each is to show.
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

/** Tiles of states that cover a window. @param {Source} source @param {Axis} axis @param {number} group @param {number} row */
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

/** Tiles of messages that cover a window. @param {Source} source @param {Axis} axis */
export function coverTraffic(source, axis) {
  return cover(source, axis, (level, column) => source.traffic(level, column));
}

/**
 * Rows that are seen, by the tile in which they are.
 * @param {import("./rows.js").Rows} rows
 * @param {number} pad
 */
function buckets(rows, pad) {
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

/** How much of a row is left free above and below. @param {number} height */
export function padding(height) {
  return height < 8 ? 0 : Math.min(5, Math.round(height * 0.12));
}

/**
 * Draws the states that are seen.
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
 * Visits each message that is seen, once.
 * @param {Part<TrafficTile>[]} parts
 * @param {(messages: import("./tiles.js").Messages, i: number) => void} visit
 */
export function eachMessage(parts, visit) {
  parts.forEach(({ tile, from, to }, place) => {
    const { messages } = tile;
    if (!messages) return;
    for (let i = 0; i < tile.count; i++) {
      const sent = messages.sent[i];
      // One that is in several tiles is shown by that in which it begins, or by the first that is seen.
      if (sent < to && (sent >= from || place === 0)) visit(messages, i);
    }
  });
}

/**
 * Visits each flow between groups that is seen, with the moment in the middle of its bin.
 * @param {Part<TrafficTile>[]} parts
 * @param {(flows: import("./tiles.js").Flows, i: number, at: number, tile: TrafficTile) => void} visit
 */
export function eachFlow(parts, visit) {
  for (const { tile, from, to } of parts) {
    if (!tile.flows) continue;
    const width = (BINS / tile.flowBins) * 2 ** tile.level;
    for (let i = 0; i < tile.count; i++) {
      const at = tile.base + (tile.flows.bin[i] + 0.5) * width;
      if (at >= from && at < to) visit(tile.flows, i, at, tile);
    }
  }
}

/**
 * Draws the messages that are seen; answers how many there are, and whether they are told one by one.
 * @param {Renderer} renderer
 * @param {Part<TrafficTile>[]} parts
 * @param {import("./rows.js").Rows} rows
 * @param {Axis} axis
 * @param {string} colour
 */
export function drawMessages(renderer, parts, rows, axis, colour) {
  /** @type {number[]} */
  const lines = [];
  const x = (/** @type {number} */ at) => (at - axis.from) * axis.scale;
  const bottom = rows.room;
  let single = 0;
  eachMessage(parts, () => (single += 1));
  const alpha = Math.max(0.12, Math.min(0.75, 14 / Math.sqrt(single + 1)));
  eachMessage(parts, (messages, i) => {
    const [top, end] = [rows.middle(messages.from[i]), rows.middle(messages.to[i])];
    if (!(Math.max(top, end) >= 0 && Math.min(top, end) <= bottom) || (top === end && rows.group > 0)) return;
    const sent = messages.sent[i];
    lines.push(x(sent), top, x(sent + messages.travel[i]), end, 1, alpha);
    if (single <= FEW) {
      const at = x(sent + messages.travel[i]);
      lines.push(at - 2, end, at + 2, end, 4, Math.min(1, alpha + 0.1));
    }
  });
  let many = 0;
  /** @type {number[]} */
  const counts = [];
  eachFlow(parts, (flows, i) => counts.push(flows.count[i]));
  const least = counts.length > MOST_FLOWS ? counts.sort((one, other) => other - one)[MOST_FLOWS] : 0;
  eachFlow(parts, (flows, i, at, tile) => {
    many += flows.count[i];
    // Of equal ones every so-and-so-many-th.
    if (flows.count[i] < least || (flows.count[i] === least && i % Math.ceil(counts.length / MOST_FLOWS) > 0)) return;
    const size = 2 ** tile.group;
    const middle = (/** @type {number} */ group) => {
      const line = Math.min(group * size + (size >> 1), rows.source.meta.lines - 1);
      return rows.middle(line);
    };
    const [top, end] = [middle(flows.from[i]), middle(flows.to[i])];
    // What stays within a row would only hide it.
    if (top === end) return;
    if (!(Math.max(top, end) >= 0 && Math.min(top, end) <= bottom)) return;
    const weight = Math.log10(1 + flows.count[i]);
    lines.push(x(at), top, x(at + flows.travel[i]), end, 0.6 + 0.5 * weight, Math.min(0.5, 0.08 + 0.06 * weight));
  });
  renderer.lines(lines, colour);
  return { single, many };
}

/**
 * Draws the critical path with a halo, so that it is seen on all colours.
 * @param {Renderer} renderer
 * @param {Part<TrafficTile>[]} parts
 * @param {import("./rows.js").Rows} rows
 * @param {Axis} axis
 * @param {import("./palette.js").Palette} colours
 */
export function drawPath(renderer, parts, rows, axis, colours) {
  /** @type {number[]} */
  const lines = [];
  const thick = Math.max(1.5, Math.min(4, rows.height / 5));
  for (const { tile, from, to } of parts) {
    const { path } = tile;
    for (let i = 0; i < path.line.length; i++) {
      if (path.to[i] < from || path.from[i] > to) continue;
      const y = rows.middle(path.line[i]);
      const [left, right] = [path.from[i], path.to[i]].map((at) => Math.max(-50, Math.min(1e5, (at - axis.from) * axis.scale)));
      lines.push(left, y, right, y, thick, 1);
      if (i + 1 < path.line.length) {
        const next = Math.max(-50, Math.min(1e5, (path.from[i + 1] - axis.from) * axis.scale));
        lines.push(right, y, next, rows.middle(path.line[i + 1]), Math.max(1.2, thick * 0.6), 1);
      }
    }
  }
  const sound = lines.every((value) => !Number.isNaN(value)) ? lines : withoutGaps(lines);
  const halo = sound.map((value, i) => (i % 6 === 4 ? value + 2.5 : i % 6 === 5 ? 0.85 : value));
  renderer.lines(halo, colours.halo);
  renderer.lines(sound, colours.path);
}

/** Lines of which both ends are in rows that are shown. @param {number[]} lines */
function withoutGaps(lines) {
  const kept = [];
  for (let i = 0; i < lines.length; i += 6) {
    const line = lines.slice(i, i + 6);
    if (!line.some(Number.isNaN)) kept.push(...line);
  }
  return kept;
}
