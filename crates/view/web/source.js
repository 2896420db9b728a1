// The tiles of a timeline: those that are there, and those that are asked for.
import { asBins, merged } from "./bins.js";
import { BINS, ROWS, decode } from "./tiles.js";

/** @typedef {import("./tiles.js").Tile} Tile */
/**
 * @typedef {object} Meta
 * @property {string} name
 * @property {number} ranks
 * @property {number} lines
 * @property {number[]} helps
 * @property {[string, string][]} facts
 * @property {string[]} calls
 * @property {string[]} lanes
 * @property {number} origin
 * @property {number} span
 * @property {number} states
 * @property {number} messages
 * @property {string | null} flaw
 * @property {{shape: string, extents?: number[], text: string}} topology
 * @property {number} top
 * @property {number} whole
 * @property {number} trafficGroup
 * @property {{parts: number, time: number}} path
 * @property {{calls: number[][], lanes: number[][], sizes: number[], travel: number, kept: number}} sums
 * @property {number | null} [finest]
 * @property {number} [base] the finest grouping of lines that there is
 * @property {boolean} [single] are there single lines, too?
 */

/** Tiles that are kept, in bytes. */
const MOST = 256 * 2 ** 20;
/** What a request ends with that nobody needs any more. */
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
    /** Changes with each tile that comes. */
    this.version = 0;
    /** Counts what was looked for and is still on its way; whoever wants to know sets it to zero before. */
    this.lacking = 0;
    /** @type {Float32Array} */
    this.summary = new Float32Array(0);
    /** @type {string | null} */
    this.failure = null;
    /** The names of all pieces that are inside the page. @type {string[]} */
    this.pieces = [];
    /** Forgets what was asked for and has not begun to come: whoever needs it asks again. */
    this.drop = () => {};
  }

  /** Does it have single lines? */
  get hasLines() {
    return !this.isInside || this.meta.single === true;
  }

  /** Does the page hold every state of every line? */
  get hasAll() {
    return this.isInside && this.hasLines && typeof this.meta.finest !== "number";
  }

  /** The tiles of single lines inside the page that have states. @returns {Generator<import("./tiles.js").StateTile>} */
  *singleStates() {
    for (const key of this.pieces) {
      const buffer = key.startsWith("states/0/") ? this.load(key) : null;
      const tile = buffer instanceof ArrayBuffer ? decode(buffer) : null;
      if (tile?.kind === "states") yield tile;
    }
  }

  /** Are tiles on their way? */
  get isBusy() {
    return this.wanted.size > 0;
  }

  /** The tile of states at a place, or the best that is there. @param {number} group @param {number} level @param {number} row @param {number} column */
  states(group, level, row, column) {
    if (this.isInside && group > (this.meta.base ?? 0)) return this.grouped(group, level, row, column);
    const found = this.best(level, column, (level, column) => `states/${group}/${level}/${row}/${column}`);
    return found && found.kind !== "traffic" ? found : null;
  }

  /** A tile of rows of many lines, made from those of fewer if it is not there. @param {number} group @param {number} level @param {number} row @param {number} column @returns {import("./tiles.js").BinTile | import("./tiles.js").StateTile | null} */
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

  /** The tile of messages at a place, or the best that is there. @param {number} level @param {number} column */
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
      // What is inside the page costs nothing to look at; of a served timeline the first tile tells whether there are others.
      const tile = this.look(name) ?? (this.isInside || above === this.meta.top ? this.ask(name) : null);
      // Nothing finer is to be had below one that is whole.
      if (tile?.whole) return tile;
      nearest ??= tile;
      if (above === this.meta.top && this.wanted.has(name)) {
        this.lacking += 1;
        return nearest;
      }
    }
    const name = key(level, column);
    const tile = this.ask(name);
    if (this.wanted.has(name)) this.lacking += 1;
    return tile ?? nearest;
  }

  /** What is there already. @param {string} key */
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
      if (this.kept <= MOST) break;
      if (!tile) continue;
      this.tiles.delete(old);
      this.kept -= tile.size;
      tile.dispose?.();
    }
    return tile;
  }
}

/** The level at which a bin is about a pixel. @param {number} picosPerPixel @param {number} top */
export function levelFor(picosPerPixel, top) {
  return Math.max(0, Math.min(top, Math.round(Math.log2(Math.max(picosPerPixel, 1e-9)))));
}

/** The columns of tiles of a level that a window touches. @param {number} level @param {number} from @param {number} to @param {number} end */
export function columns(level, from, to, end) {
  const width = BINS * 2 ** level;
  const first = Math.max(0, Math.floor(from / width));
  const last = Math.min(Math.floor(end / width), Math.floor(to / width));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}
