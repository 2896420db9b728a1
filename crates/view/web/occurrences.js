// Occurrences of a kind of state in a call, in time order: requested from the server, or gathered
// from a page that embeds every state.
import { BINS, span } from "./tiles.js";

/** @typedef {{number: number, line: number, from: number, to: number}} Occurrence */

/** Occurrences of a kind of state in a call. */
export class Occurrences {
  /**
   * @param {import("./source.js").Source} source
   * @param {number} call one more than its number, 0 for none
   * @param {number} kind
   * @param {number} count number of occurrences
   */
  constructor(source, call, kind, count) {
    this.source = source;
    this.call = call;
    this.kind = kind;
    this.count = count;
    /** @type {Occurrence[] | null} */
    this.all = null;
  }

  /** Returns the occurrence with a number, counted from 0. @param {number} number @returns {Promise<Occurrence | null>} */
  async byNumber(number) {
    if (!this.source.isInside) return this.ask(`${number}`);
    return this.gather()[number] ?? null;
  }

  /** Returns the occurrence that begins at a time on a line. @param {number} line @param {number} at @returns {Promise<Occurrence | null>} */
  async at(line, at) {
    if (!this.source.isInside) return this.ask(`${line}/${BigInt(Math.round(at))}`);
    // Times in tiles are rounded.
    const away = (/** @type {Occurrence} */ found) => Math.abs(found.from - at);
    const nearer = (/** @type {Occurrence | null} */ best, /** @type {Occurrence} */ found) => (best && away(best) <= away(found) ? best : found);
    return this.gather().filter((found) => found.line === line).reduce(nearer, null);
  }

  /** @param {string} which @returns {Promise<Occurrence | null>} */
  async ask(which) {
    const answer = await this.source.load(`occurrence/${this.call}/${this.kind}/${which}`);
    if (!answer) return null;
    const [number, line, from, to] = JSON.parse(new TextDecoder().decode(answer));
    return { number, line, from, to };
  }

  /** Returns all occurrences in the page; none if it does not embed every state. */
  gather() {
    this.all ??= this.source.hasAll ? [...this.eachState()].sort((one, other) => one.from - other.from || one.line - other.line) : [];
    this.all.forEach((found, number) => (found.number = number));
    return this.all;
  }

  /** @returns {Generator<Occurrence>} */
  *eachState() {
    for (const tile of this.source.singleStates()) {
      const end = tile.base + BINS * 2 ** tile.level;
      for (let i = 0; i < tile.count; i++) {
        if (tile.call[i] !== this.call || tile.what[i] !== this.kind) continue;
        const [from, to] = span(tile, i);
        // A state in several tiles begins in one of them.
        if (from >= tile.base && from < end) yield { number: 0, line: tile.firstRow + tile.row[i], from, to };
      }
    }
  }
}
