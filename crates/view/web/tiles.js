// Decoder of tiles: a header of 48 bytes and columns, see docs/viewer.md.

export const BINS = 256;
export const ROWS = 64;
const HEAD = 48;
const [IN_BINS, ONE_BY_ONE, MESSAGES] = [0, 1, 2];
const WIDE = 2 ** 32;

/**
 * @typedef {object} Head
 * @property {number} group
 * @property {number} level
 * @property {number} rows
 * @property {number} firstRow
 * @property {number} count
 * @property {boolean} whole
 * @property {number} base
 * @property {number} size
 * @property {(() => void) | null} dispose
 */
/**
 * @typedef {object} BinColumns
 * @property {"bins"} kind
 * @property {Uint8Array} shares
 * @property {Uint32Array} counts
 * @property {Float32Array} longest
 */
/**
 * @typedef {object} StateColumns
 * @property {"states"} kind
 * @property {number} unit
 * @property {Uint32Array} from
 * @property {Uint32Array} to
 * @property {Uint32Array} call
 * @property {Uint8Array} row
 * @property {Uint8Array} what
 * @property {Pairs} cut begin and end of states that reach beyond the tile
 * @property {Pairs} causes line and time of the cause of waits
 * @property {Uint32Array[] | null} byRow
 */
/**
 * @typedef {object} TrafficColumns
 * @property {"traffic"} kind
 * @property {Float32Array} queues
 * @property {{from: Float64Array, to: Float64Array, line: Uint32Array}} path
 * @property {number} flowBins
 * @property {boolean} all whether all messages sent before the tile are included
 * @property {Messages | null} messages
 * @property {Flows | null} flows
 */
/**
 * @typedef {object} Messages
 * @property {Float64Array} sent
 * @property {Float64Array} bytes
 * @property {Float32Array} travel
 * @property {Float32Array} kept
 * @property {Uint32Array} from
 * @property {Uint32Array} to
 * @property {Uint32Array} cls
 * @property {Uint16Array} kind
 */
/**
 * @typedef {object} Flows
 * @property {Uint32Array} bin
 * @property {Uint32Array} from
 * @property {Uint32Array} to
 * @property {Uint32Array} count
 * @property {Float32Array} bytes
 * @property {Float32Array} travel
 */
/** @typedef {Head & BinColumns} BinTile */
/** @typedef {Head & StateColumns} StateTile */
/** @typedef {Head & TrafficColumns} TrafficTile */
/** @typedef {BinTile | StateTile | TrafficTile} Tile */

/** Reads consecutive columns. */
class Columns {
  /** @param {ArrayBuffer} buffer @param {number} at */
  constructor(buffer, at) {
    this.buffer = buffer;
    this.at = at;
  }
  /** @param {number} length */
  words(length) {
    const column = new Uint32Array(this.buffer, this.at, length);
    this.at += 4 * length;
    return column;
  }
  /** @param {number} length */
  floats(length) {
    const column = new Float32Array(this.buffer, this.at, length);
    this.at += 4 * length;
    return column;
  }
  /** @param {number} length */
  doubles(length) {
    const column = new Float64Array(this.buffer, this.at, length);
    this.at += 8 * length;
    return column;
  }
  /** @param {number} length */
  halves(length) {
    const column = new Uint16Array(this.buffer, this.at, length);
    this.at += 2 * length;
    return column;
  }
  /** @param {number} length */
  bytes(length) {
    const column = new Uint8Array(this.buffer, this.at, length);
    this.at += length;
    return column;
  }
  align() {
    this.at = Math.ceil(this.at / 8) * 8;
  }
}

/** A sparse column of pairs for some states of a tile. */
class Pairs {
  /** @param {Uint32Array} keys in ascending order @param {ArrayLike<number>} ones @param {ArrayLike<number>} others */
  constructor(keys, ones, others) {
    this.keys = keys;
    this.ones = ones;
    this.others = others;
  }
  /** @param {number} key @returns {[number, number] | null} */
  get(key) {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return this.keys[low] === key ? [this.ones[low], this.others[low]] : null;
  }
}

/** Decodes a tile. @param {ArrayBuffer} buffer @returns {Tile} */
export function decode(buffer) {
  const [kind, group, level, rows, firstRow, count, unit, first, second, whole] = new Uint32Array(buffer, 0, 10);
  const base = new DataView(buffer).getUint32(40, true) + new DataView(buffer).getUint32(44, true) * WIDE;
  const size = buffer.byteLength;
  const head = { group, level, rows, firstRow, count, whole: whole === 1, base, size, dispose: null };
  const columns = new Columns(buffer, HEAD);
  if (kind === IN_BINS) return { ...head, ...bins(columns, rows) };
  if (kind === ONE_BY_ONE) return { ...head, ...states(columns, count, unit, first, second) };
  return { ...head, ...traffic(columns, count, first, second, kind === MESSAGES, unit === 0) };
}

/** @param {Columns} columns @param {number} rows @returns {BinColumns} */
function bins(columns, rows) {
  const cells = rows * BINS;
  const shares = columns.bytes(5 * cells);
  return { kind: "bins", shares, counts: columns.words(cells), longest: columns.floats(cells) };
}

/** @param {Columns} columns @param {number} count @param {number} unit @param {number} cuts @param {number} causes @returns {StateColumns} */
function states(columns, count, unit, cuts, causes) {
  const [gaps, lengths, call] = [columns.words(count), columns.words(count), columns.words(count)];
  const cut = new Pairs(columns.words(cuts), wide(columns, cuts), wide(columns, cuts));
  const at = columns.words(causes);
  const ranks = columns.words(causes);
  const cause = new Pairs(at, ranks, wide(columns, causes));
  const [row, what] = [columns.bytes(count), columns.bytes(count)];
  const [from, to] = [new Uint32Array(count), new Uint32Array(count)];
  // Starts are stored relative to the end of the previous state of the row, modulo 2^32.
  for (let i = 0; i < count; i++) {
    from[i] = gaps[i] + (i > 0 && row[i] === row[i - 1] ? to[i - 1] : 0);
    to[i] = from[i] + lengths[i];
  }
  return { kind: "states", unit: 2 ** unit, from, to, call, row, what, cut, causes: cause, byRow: null };
}

/** Reads 64-bit numbers from two columns. @param {Columns} columns @param {number} count */
function wide(columns, count) {
  const [low, high] = [columns.words(count), columns.words(count)];
  const both = new Float64Array(count);
  for (let i = 0; i < count; i++) both[i] = low[i] + high[i] * WIDE;
  return both;
}

/**
 * @param {Columns} columns
 * @param {number} count
 * @param {number} parts
 * @param {number} flowBins
 * @param {boolean} single
 * @param {boolean} all
 * @returns {TrafficColumns}
 */
function traffic(columns, count, parts, flowBins, single, all) {
  const queues = columns.floats(5 * BINS);
  const path = { from: columns.doubles(parts), to: columns.doubles(parts), line: columns.words(parts) };
  columns.align();
  const common = { kind: /** @type {"traffic"} */ ("traffic"), queues, path, flowBins, all };
  if (single) {
    const messages = {
      sent: wide(columns, count), bytes: columns.doubles(count), travel: columns.floats(count), kept: columns.floats(count),
      from: columns.words(count), to: columns.words(count), cls: columns.words(count), kind: columns.halves(count),
    };
    return { ...common, messages, flows: null };
  }
  const flows = {
    bin: columns.words(count), from: columns.words(count), to: columns.words(count), count: columns.words(count),
    bytes: columns.floats(count), travel: columns.floats(count),
  };
  return { ...common, messages: null, flows };
}

/** Returns the states of a row of a tile, in time order. @param {StateTile} tile @param {number} row */
export function statesOf(tile, row) {
  if (!tile.byRow) {
    /** @type {number[][]} */
    const lists = Array.from({ length: tile.rows }, () => []);
    tile.row.forEach((row, i) => lists[row].push(i));
    for (const list of lists) list.sort((one, other) => tile.from[one] - tile.from[other]);
    tile.byRow = lists.map((list) => Uint32Array.from(list));
  }
  return tile.byRow[row] ?? new Uint32Array(0);
}

/** Returns begin and end of a state, in picoseconds. @param {StateTile} tile @param {number} i @returns {[number, number]} */
export function span(tile, i) {
  return tile.cut.get(i) ?? [tile.base + tile.from[i] * tile.unit, tile.base + tile.to[i] * tile.unit];
}

/** Returns the state of a row at a time, or the nearest within `near`; -1 if there is none. @param {StateTile} tile @param {number} row @param {number} at @param {number} near */
export function stateAt(tile, row, at, near) {
  const list = statesOf(tile, row);
  const offset = (at - tile.base) / tile.unit;
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tile.from[list[middle]] <= offset) low = middle + 1;
    else high = middle;
  }
  let [best, distance] = [-1, near];
  for (const place of [low - 1, low]) {
    if (place < 0 || place >= list.length) continue;
    const [from, to] = span(tile, list[place]);
    const away = at < from ? from - at : at > to ? at - to : 0;
    if (away <= distance) [best, distance] = [list[place], away];
    if (away === 0) return list[place];
  }
  return best;
}
