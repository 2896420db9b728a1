// Totals of an interval: time by kind, call and line, lengths of states, and messages. Requested from
// the server, or added up from the tiles of a page.
import { matrix, utilisation } from "./gather.js";
import { BINS, ROWS, span } from "./tiles.js";

/**
 * @typedef {object} Sums
 * @property {number[][]} calls call (one more than its number), kind, count, time, longest, its line and begin, number of states by bit length; empty if unknown
 * @property {number[][]} messageKinds number and bytes by message kind
 * @property {number[]} sizes number of messages by bit length of their size
 * @property {number} travel
 * @property {number} kept
 * @property {number} group lines are in groups of 2^group
 * @property {number[][]} lines time by kind, messages and bytes sent, messages and bytes received; empty if unknown
 * @property {number[]} [kinds] time by kind, if the calls are unknown
 */
/** An interval, and what it is called. @typedef {{name: "selection" | "view" | "all", from: number, to: number}} Scope */

/** Milliseconds that an interval has to stay the same before its totals are computed. */
const DELAY = 120;
/** Upper limit of rows of lines. */
const MAX_ROWS = 1024;
/** Key of the totals of a whole timeline: those of all 64-bit times. */
export const WHOLE = "totals/0/18446744073709551615";

/** Totals of the interval that is looked at. */
export class Totals {
  /** @param {import("./source.js").Source} source @param {() => void} changed */
  constructor(source, changed) {
    this.source = source;
    this.changed = changed;
    /** Totals last computed, and for which interval. */
    this.sums = source.whole;
    this.key = WHOLE;
    this.wanted = WHOLE;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Whether totals of another interval are being computed. */
  get isStale() {
    return this.wanted !== this.key;
  }

  /** Returns the totals of an interval, or those of the previous one until they are known. @param {Scope} scope @returns {Sums} */
  of({ name, from, to }) {
    const [begin, end] = [Math.max(0, Math.floor(from)), Math.max(1, Math.ceil(to))];
    const isWhole = name === "all" || (begin === 0 && end >= this.source.meta.span);
    const wanted = isWhole ? WHOLE : `totals/${BigInt(begin)}/${BigInt(end)}`;
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      clearTimeout(this.timer);
      if (isWhole) [this.sums, this.key] = [this.source.whole, WHOLE];
      else this.timer = setTimeout(() => this.compute(wanted, begin, end), DELAY);
    }
    return this.sums;
  }

  /** @param {string} key @param {number} from @param {number} to */
  async compute(key, from, to) {
    const { source } = this;
    /** @type {Sums | null} */
    let sums = null;
    try {
      if (!source.isInside) sums = parse(await source.load(key));
      else sums = source.hasAll ? added(source, from, to) : estimated(source, from, to);
    } catch (error) {
      source.failure = error instanceof Error ? error.message : String(error);
    }
    if (this.wanted !== key) return;
    [this.sums, this.key] = [sums ?? this.sums, key];
    this.changed();
  }
}

/** @param {ArrayBuffer | null} buffer @returns {Sums | null} */
export function parse(buffer) {
  return buffer && JSON.parse(new TextDecoder().decode(buffer));
}

/** Returns the time by kind. @param {Sums} sums */
export function byKind(sums) {
  if (sums.kinds) return sums.kinds;
  const kinds = [0, 0, 0, 0, 0];
  for (const [, kind, , all] of sums.calls) kinds[kind] += all;
  return kinds;
}

/** Yields the tiles that hold single events of an interval, each once. @param {import("./source.js").Source} source @param {(level: number, column: number) => string} key @param {(tile: import("./tiles.js").Tile) => boolean} isSingle @param {number} from @param {number} to */
function* leaves(source, key, isSingle, from, to) {
  const left = [[source.meta.top, 0]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [level, column] = next;
    const width = BINS * 2 ** level;
    if (column * width >= to || (column + 1) * width <= from) continue;
    const tile = source.look(key(level, column)) ?? source.ask(key(level, column));
    if (tile && isSingle(tile)) yield { tile, begin: column * width, end: (column + 1) * width };
    else if (tile && level > 0) left.push([level - 1, 2 * column], [level - 1, 2 * column + 1]);
  }
}

/** Adds up the events of a page that embeds all of them. @param {import("./source.js").Source} source @param {number} from @param {number} to @returns {Sums} */
function added(source, from, to) {
  const { lines, messageKinds } = source.meta;
  let group = 0;
  while (Math.ceil(lines / 2 ** group) > MAX_ROWS) group += 1;
  const sums = {
    group, lines: Array.from({ length: Math.ceil(lines / 2 ** group) }, () => Array(9).fill(0)), sizes: Array(65).fill(0), travel: 0, kept: 0,
    messageKinds: messageKinds.map(() => [0, 0]),
  };
  /** @type {Map<number, number[]>} */
  const calls = new Map();
  /** @type {Map<number, number[]>} */
  const lengths = new Map();
  for (let row = 0; row * ROWS < lines; row++) {
    for (const { tile, begin, end } of leaves(source, (level, column) => `states/0/${level}/${row}/${column}`, (tile) => tile.kind === "states", from, to)) {
      if (tile.kind === "states") addStates(tile, Math.max(begin, from), Math.min(end, to), from >= begin, sums, calls, lengths);
    }
  }
  eachSent(source, from, to, (messages, i) => addMessage(messages, i, sums));
  return { ...sums, calls: [...calls].map(([key, sum]) => Object.assign(sum, { 7: lengths.get(key) })) };
}

/** @param {import("./tiles.js").StateTile} tile @param {number} from @param {number} to @param {boolean} isFirst whether the interval begins here @param {{group: number, lines: number[][]}} sums @param {Map<number, number[]>} calls @param {Map<number, number[]>} lengths */
function addStates(tile, from, to, isFirst, sums, calls, lengths) {
  for (let i = 0; i < tile.count; i++) {
    const [begin, end] = span(tile, i);
    const inside = Math.min(end, to) - Math.max(begin, from);
    if (inside <= 0) continue;
    const [call, kind, line] = [tile.call[i], tile.what[i], tile.firstRow + tile.row[i]];
    sums.lines[line >> sums.group][kind] += inside;
    const key = call * 8 + kind;
    let sum = calls.get(key);
    if (!sum) {
      calls.set(key, (sum = [call, kind, 0, 0, 0, 0, 0]));
      lengths.set(key, Array(65).fill(0));
    }
    sum[3] += inside;
    // A state in several tiles is counted in the first.
    if (begin < from && !isFirst) continue;
    sum[2] += 1;
    /** @type {number[]} */ (lengths.get(key))[bits(end - begin)] += 1;
    if (end - begin > sum[4]) [sum[4], sum[5], sum[6]] = [end - begin, line, begin];
  }
}

/** Returns the bit length of a number. @param {number} value */
function bits(value) {
  return value < 1 ? 0 : Math.floor(Math.log2(value)) + 1;
}

/** Visits each message that was sent in an interval, in a page that embeds all of them. @param {import("./source.js").Source} source @param {number} from @param {number} to @param {(messages: import("./tiles.js").Messages, i: number) => void} visit */
export function eachSent(source, from, to, visit) {
  const isSingle = (/** @type {import("./tiles.js").Tile} */ tile) => tile.kind === "traffic" && tile.messages !== null;
  for (const { tile, begin, end } of leaves(source, (level, column) => `traffic/${level}/${column}`, isSingle, from, to)) {
    if (tile.kind !== "traffic" || !tile.messages) continue;
    const { sent } = tile.messages;
    for (let i = 0; i < tile.count; i++) if (sent[i] >= Math.max(begin, from) && sent[i] < Math.min(end, to)) visit(tile.messages, i);
  }
}

/** @param {import("./tiles.js").Messages} messages @param {number} i @param {Omit<Sums, "calls">} sums */
function addMessage(messages, i, sums) {
  const size = messages.bytes[i];
  const [sender, receiver] = [sums.lines[messages.from[i] >> sums.group], sums.lines[messages.to[i] >> sums.group]];
  [sender[5], sender[6], receiver[7], receiver[8]] = [sender[5] + 1, sender[6] + size, receiver[7] + 1, receiver[8] + size];
  const kind = sums.messageKinds[messages.kind[i]];
  if (kind) [kind[0], kind[1]] = [kind[0] + 1, kind[1] + size];
  sums.sizes[bits(size)] += 1;
  sums.travel += messages.travel[i];
  sums.kept += messages.kept[i];
}

/** Estimates from bins what a page knows that does not embed all events. @param {import("./source.js").Source} source @param {number} from @param {number} to @returns {Sums} */
function estimated(source, from, to) {
  const samples = 512;
  const kinds = utilisation(source, from, to, samples).map((values) => (values.reduce((sum, value) => sum + value, 0) * (to - from)) / samples);
  const found = matrix(source, from, to);
  const all = (/** @type {Float64Array} */ values) => values.reduce((sum, value) => sum + value, 0);
  return { calls: [], kinds, messageKinds: [[all(found.counts), all(found.bytes)]], sizes: [], travel: NaN, kept: NaN, group: 0, lines: [] };
}
