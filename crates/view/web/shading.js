// How states are coloured: by their kind, or by the function they are in; and which are hidden.
import { KINDS, LABELS } from "./palette.js";

/** Number of functions with a colour of their own; the others share one. */
const MAX_FUNCTIONS = 8;
/** Slot of states outside of these functions. */
const OTHER = MAX_FUNCTIONS + 1;
/** Upper limit of slots, which shaders reserve. */
export const SLOTS = 16;

/** @typedef {import("./palette.js").Palette} Palette */

/** Returns the functions that take the most time, by name. @param {import("./source.js").Source[]} sources */
export function mainFunctions(sources) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { meta, whole } of sources) {
    for (const [call, , , all] of whole.calls) {
      const name = call > 0 ? (meta.functions ?? meta.calls)[call - 1] : undefined;
      if (name) times.set(name, (times.get(name) ?? 0) + all);
    }
  }
  return [...times].sort((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** Colours of the states of one timeline. A state has a slot: the number of its colour. */
export class Shading {
  /**
   * @param {Palette} colours
   * @param {number} hidden bit set of the slots that are not drawn
   * @param {string[] | null} functions names of functions, by time, to colour by them
   * @param {string[]} calls functions of the calls of the timeline
   */
  constructor(colours, hidden = 0, functions = null, calls = []) {
    this.colours = colours;
    this.hidden = hidden;
    this.functions = functions?.slice(0, MAX_FUNCTIONS) ?? null;
    /** Colour of each slot. */
    this.shades = this.functions ? [colours.kinds[0], ...colours.functions.slice(0, MAX_FUNCTIONS), colours.other] : colours.kinds;
    /** Colour of each kind in bins, which do not know functions. */
    this.bins = this.functions ? colours.kinds.map((colour, kind) => (kind === 0 ? colour : colours.several)) : colours.kinds;
    /** Whether waits are hatched. */
    this.isHatched = !this.functions;
    this.key = [colours.plot, ...this.shades, hidden].join();
    /** Slot of each call, one more than its number. @type {Uint8Array | null} */
    this.slots = this.functions && Uint8Array.from([OTHER, ...calls.map((name) => ((this.functions?.indexOf(name) ?? -1) + 1) || OTHER)]);
    /** @type {WeakMap<import("./tiles.js").StateTile, Uint8Array>} */
    this.columns = new WeakMap();
  }

  /** Returns the slots of the states of a tile. @param {import("./tiles.js").StateTile} tile */
  column(tile) {
    const { slots } = this;
    if (!slots) return tile.what;
    let column = this.columns.get(tile);
    if (!column) {
      column = tile.what.map((kind, i) => (tile.call[i] === 0 && kind === 0 ? 0 : slots[tile.call[i]] ?? OTHER));
      this.columns.set(tile, column);
    }
    return column;
  }

  /** Bit set of the kinds that bins do not draw. */
  get hiddenKinds() {
    return this.functions ? this.hidden & 1 : this.hidden;
  }

  /** Names and slots for the legend. @param {number} most number of functions there are @returns {[number, string][]} */
  names(most) {
    if (!this.functions) return KINDS.map((_, kind) => [kind, LABELS[kind]]);
    /** @type {[number, string][]} */
    const names = [[0, "compute"], ...this.functions.map((name, i) => /** @type {[number, string]} */ ([i + 1, name]))];
    if (most > MAX_FUNCTIONS) names.push([OTHER, "other functions"]);
    return names;
  }
}
