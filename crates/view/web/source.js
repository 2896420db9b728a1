// The tiles of a timeline: cached ones, and requests for missing ones.
import { asBins, merged } from "./bins.js";
import { BINS, ROWS, decode } from "./tiles.js";

/** @typedef {import("./tiles.js").Tile} Tile */
/**
 * @typedef {object} Meta
 * @property {string} name
 * @property {number} ranks
 * @property {number} lines
 * @property {number[]} helperRanks
 * @property {[string, string][]} facts
 * @property {string[]} calls names of functions, with their call sites where these are known
 * @property {string[] | null} functions names of the same functions alone; null if no call has a call site
 * @property {string[]} messageKinds
 * @property {number} origin
 * @property {number} span
 * @property {number} states
 * @property {number} messages
 * @property {string | null} damage
 * @property {{shape: string, extents?: number[], text: string}} topology
 * @property {number} top
 * @property {number} whole
 * @property {number} trafficGroup
 * @property {{parts: number, time: number}} path
 * @property {{time: number, states: import("./waits.js").WaitState[]}} waits wait states by cost, and the time of all ranks in all states
 * @property {number | null} [finest]
 * @property {number} [base] finest grouping of lines available
 * @property {boolean} [single] whether single lines are available, too
 */

/** Size of the tile cache, in bytes. */
const CACHE_BYTES = 256 * 2 ** 20;
/** Rejection of a request that is no longer needed. */
export const DROPPED = new Error("dropped");

/** The tiles of one timeline. */
export class Source {
  /**
   * @param {Meta} meta
   * @param {(key: string) => Promise<ArrayBuffer | null> | ArrayBuffer | null} load
   * @param {() => void} arrived
   * @param {boolean} isInside
   */
  constructor(meta, load, arrived, isInside) {
    this.meta = meta;
    this.isInside = isInside;
    this.load = load;
    this.arrived = arrived;
    /** @type {Map<string, Tile | null>} */
    this.tiles = new Map();
    /** @type {Set<string>} */
    this.wanted = new Set();
    this.kept = 0;
    /** Changes with each tile that arrives. */
    this.version = 0;
    /** Number of tiles looked up and not loaded yet; callers reset it before they draw. */
    this.missing = 0;
    /** @type {Float32Array} */
    this.summary = new Float32Array(0);
    /** Totals of the whole timeline. @type {import("./totals.js").Sums} */
    this.whole = { calls: [], messageKinds: [], sizes: [], travel: 0, kept: 0, group: 0, lines: [] };
    /** @type {string | null} */
    this.failure = null;
    /** Keys of all pieces embedded in the page. @type {string[]} */
    this.pieces = [];
    /** Drops requests that have not started; tiles still needed are requested again. */
    this.drop = () => {};
  }

  /** Whether single lines are available. */
  get hasLines() {
    return !this.isInside || this.meta.single === true;
  }

  /** Whether the page embeds every state of every line. */
  get hasAll() {
    return this.isInside && this.hasLines && typeof this.meta.finest !== "number";
  }

  /** Yields the embedded tiles with individual states of single lines. @returns {Generator<import("./tiles.js").StateTile>} */
  *singleStates() {
    for (const key of this.pieces) {
      const buffer = key.startsWith("states/0/") ? this.load(key) : null;
      const tile = buffer instanceof ArrayBuffer ? decode(buffer) : null;
      if (tile?.kind === "states") yield tile;
    }
  }

  /** Whether tiles are being loaded. */
  get isBusy() {
    return this.wanted.size > 0;
  }

  /** Returns a tile of states, or the best available one. @param {number} group @param {number} level @param {number} row @param {number} column */
  states(group, level, row, column) {
    if (this.isInside && group > (this.meta.base ?? 0)) return this.grouped(group, level, row, column);
    const found = this.best(level, column, (level, column) => `states/${group}/${level}/${row}/${column}`);
    return found && found.kind !== "traffic" ? found : null;
  }

  /** Returns a tile of large groups, merged from smaller groups if it is not embedded. @param {number} group @param {number} level @param {number} row @param {number} column @returns {import("./tiles.js").BinTile | import("./tiles.js").StateTile | null} */
  grouped(group, level, row, column) {
    const key = `states/${group}/${level}/${row}/${column}`;
    const known = this.look(key) ?? this.ask(key);
    if (known && known.kind !== "traffic") return known;
    const base = this.meta.base ?? 0;
    const size = (/** @type {number} */ row) => Math.max(1, Math.min(2 ** base, this.meta.lines - row * 2 ** base));
    const rows = Math.ceil(this.meta.lines / 2 ** base);
    const finer = [];
    for (let at = row * 2 ** (group - base); at < Math.min((row + 1) * 2 ** (group - base), Math.ceil(rows / ROWS)); at++) {
      const tile = this.states(base, level, at, column);
      if (!tile) return null;
      finer.push(asBins(tile, level, column, (row) => size(tile.firstRow + row)));
    }
    const made = merged(finer, group, base, row, this.meta.lines);
    this.tiles.set(key, made);
    this.kept += made.size;
    return made;
  }

  /** Returns a tile of messages, or the best available one. @param {number} level @param {number} column */
  traffic(level, column) {
    const found = this.best(level, column, (level, column) => `traffic/${level}/${column}`);
    return found && found.kind === "traffic" ? found : null;
  }

  /** @param {number} level @param {number} column @param {(level: number, column: number) => string} key */
  best(level, column, key) {
    const exact = this.look(key(level, column));
    if (exact) return exact;
    let nearest = null;
    for (let [above, at] = [level + 1, Math.floor(column / 2)]; above <= this.meta.top; above++, at = Math.floor(at / 2)) {
      const name = key(above, at);
      // Embedded tiles cost nothing to look up; of a served timeline the coarsest tile tells
      // whether there are others.
      const tile = this.look(name) ?? (this.isInside || above === this.meta.top ? this.ask(name) : null);
      // A complete tile has nothing finer below it.
      if (tile?.whole) return tile;
      nearest ??= tile;
      if (above === this.meta.top && this.wanted.has(name)) {
        this.missing += 1;
        return nearest;
      }
    }
    const name = key(level, column);
    const tile = this.ask(name);
    if (this.wanted.has(name)) this.missing += 1;
    return tile ?? nearest;
  }

  /** Returns a cached tile and marks it as recently used. @param {string} key */
  look(key) {
    const tile = this.tiles.get(key);
    if (!tile) return null;
    this.tiles.delete(key);
    this.tiles.set(key, tile);
    return tile;
  }

  /** @param {string} key @returns {Tile | null} */
  ask(key) {
    if (this.tiles.has(key) || this.wanted.has(key) || this.failure) return null;
    const answer = this.load(key);
    if (answer instanceof Promise) {
      this.wanted.add(key);
      this.follow(key, answer);
      return null;
    }
    return this.keep(key, answer);
  }

  /** @param {string} key @param {Promise<ArrayBuffer | null>} answer */
  async follow(key, answer) {
    try {
      this.keep(key, await answer);
    } catch (error) {
      if (error !== DROPPED) this.failure = error instanceof Error ? error.message : String(error);
    }
    this.wanted.delete(key);
    this.version += 1;
    this.arrived();
  }

  /** @param {string} key @param {ArrayBuffer | null} buffer */
  keep(key, buffer) {
    const tile = buffer && decode(buffer);
    this.tiles.set(key, tile);
    this.kept += tile?.size ?? 0;
    for (const [old, tile] of this.tiles) {
      if (this.kept <= CACHE_BYTES) break;
      if (!tile) continue;
      this.tiles.delete(old);
      this.kept -= tile.size;
      tile.dispose?.();
    }
    return tile;
  }
}

/** Returns the level at which a bin is about a pixel. @param {number} picosPerPixel @param {number} top */
export function levelFor(picosPerPixel, top) {
  return Math.max(0, Math.min(top, Math.round(Math.log2(Math.max(picosPerPixel, 1e-9)))));
}

/** Returns the columns of tiles that a window overlaps. @param {number} level @param {number} from @param {number} to @param {number} end */
export function columns(level, from, to, end) {
  const width = BINS * 2 ** level;
  const first = Math.max(0, Math.floor(from / width));
  const last = Math.min(Math.floor(end / width), Math.floor(to / width));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}
