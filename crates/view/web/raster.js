// Rasterizer of states and bins. Thousands of states per pixel cost less this way than rectangles
// on a canvas, and their shares are exact.
import { STACK, WAIT, rgb } from "./palette.js";
import { SLOTS } from "./shading.js";
import { BINS, ROWS } from "./tiles.js";

/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./shading.js").Shading} Shading */

/** Minimum coverage of a pixel by a state, so that a short one is visible. */
const MIN_COVERAGE = 0.15;
/** Opacity of states that are not highlighted, while others are. */
export const DIMMED = 0.16;
/** Period of the hatching of waits, in pixels. */
export const PERIOD = 6;
/** Share of the period between the stripes. */
export const TINTED = 0.64;
/** Row height in pixels from which kinds are stacked; lower rows show their mixture. */
export const STACKED = 5;
/** Returns a colour as a pixel value; components are from 0 to 1. @param {number} red @param {number} green @param {number} blue @param {number} alpha */
function word(red, green, blue, alpha) {
  return ((Math.round(255 * alpha) << 24) | (Math.round(255 * blue) << 16) | (Math.round(255 * green) << 8) | Math.round(255 * red)) >>> 0;
}

/** Colours as pixel values. */
class PixelPalette {
  /** @param {Shading} shading */
  constructor(shading) {
    const { colours, isHatched } = shading;
    this.shading = shading;
    const tint = rgb(colours.tint);
    // In mixtures stripes are the mean of their colours.
    const far = (/** @type {string} */ colour, /** @type {number} */ kind) => {
      const shade = rgb(colour);
      return kind === WAIT && isHatched ? shade.map((part, i) => TINTED * tint[i] + (1 - TINTED) * part) : shade;
    };
    /** Colours of slots and of kinds in bins, as seen in mixtures. */
    this.far = shading.shades.map(far);
    this.farBins = shading.bins.map(far);
    this.words = shading.bins.map(rgb).map(([red, green, blue]) => word(red, green, blue, 1));
    this.tinted = isHatched ? word(tint[0], tint[1], tint[2], 1) : this.words[WAIT];
    /** Cached mixtures of the bins of a tile. @type {WeakMap<BinTile, Uint32Array>} */
    this.mixed = new WeakMap();
  }

  /** Mixes colours by the shares at `at`, `at + apart`, ..., scaled. @param {number[][]} colours @param {ArrayLike<number>} shares @param {number} at @param {number} apart @param {number} scale @param {number} hidden bit set of those left out */
  mix(colours, shares, at, apart, scale, hidden) {
    let [all, red, green, blue] = [0, 0, 0, 0];
    for (let slot = 0; slot < colours.length; slot++) {
      const share = shares[at + slot * apart];
      if (share === 0 || (hidden >> slot) & 1) continue;
      const far = colours[slot];
      all += share;
      red += share * far[0];
      green += share * far[1];
      blue += share * far[2];
    }
    return all > 0 ? word(red / all, green / all, blue / all, Math.min(1, all * scale)) : 0;
  }

  /** @param {BinTile} tile */
  bins(tile) {
    let words = this.mixed.get(tile);
    if (!words) {
      const cells = tile.rows * BINS;
      words = new Uint32Array(cells);
      for (let cell = 0; cell < cells; cell++) words[cell] = this.mix(this.farBins, tile.shares, cell, cells, 1 / 255, this.shading.hiddenKinds);
      this.mixed.set(tile, words);
    }
    return words;
  }
}

/** An image of states and bins. */
export class Raster {
  constructor() {
    this.image = new ImageData(1, 1);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.ratio = 1;
    /** @type {PixelPalette | null} */
    this.palette = null;
    // The clip range, and the pixels it touches.
    this.left = this.right = 0;
    this.first = this.last = 0;
    /** Coverage of each pixel of one row by each slot. */
    this.covered = new Float32Array(SLOTS);
    /** Pixels of one row, and which of them are striped. */
    this.line = new Uint32Array(1);
    this.striped = new Uint8Array(1);
  }

  /** @param {number} width device pixels @param {number} height @param {number} ratio @param {Shading} shading */
  begin(width, height, ratio, shading) {
    if (this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.covered = new Float32Array(SLOTS * width);
      this.line = new Uint32Array(width);
      this.striped = new Uint8Array(width);
    } else {
      this.pixels.fill(0);
    }
    this.ratio = ratio;
    if (this.palette?.shading !== shading) this.palette = new PixelPalette(shading);
    this.clip(0, width / ratio);
  }

  /** @param {number} left @param {number} right */
  clip(left, right) {
    const { width } = this.image;
    [this.left, this.right] = [Math.max(0, left * this.ratio), Math.min(width, right * this.ratio)];
    [this.first, this.last] = [Math.min(width, Math.round(this.left)), Math.max(0, Math.round(this.right))];
  }

  /** Returns the pixel lines of a row. @param {number} top @param {number} height */
  lines(top, height) {
    const first = Math.round(top * this.ratio);
    const last = Math.max(first + 1, Math.round((top + height) * this.ratio));
    return [Math.max(0, first), Math.min(this.image.height, last), first, last - first];
  }

  /** Returns whether a pixel lies between stripes. @param {number} x @param {number} y */
  isTint(x, y) {
    const period = PERIOD * this.ratio;
    const at = (x + y + 1 - this.image.height) % period;
    return (at < 0 ? at + period : at) < TINTED * period;
  }

  /** @param {StateTile} tile @param {number} from @param {number} scale @param {Float32Array} tops @param {number} height @param {number} call */
  states(tile, from, scale, tops, height, call) {
    const step = tile.unit * scale * this.ratio;
    const begin = (tile.base - from) * scale * this.ratio;
    const { left, right } = this;
    const { shading } = /** @type {PixelPalette} */ (this.palette);
    const slots = shading.column(tile);
    // States are sorted by row.
    let [row, isSeen] = [-1, false];
    for (let i = 0; i < tile.count; i++) {
      if (tile.row[i] !== row) {
        if (isSeen) this.row(tops[row], height);
        row = tile.row[i];
        isSeen = !Number.isNaN(tops[row]);
      }
      if (!isSeen) continue;
      const [start, end] = [begin + tile.from[i] * step, begin + tile.to[i] * step];
      if (end >= left && start < right && !((shading.hidden >> slots[i]) & 1)) this.cover(slots[i], start, end, call > 0 && tile.call[i] !== call ? DIMMED : 1);
    }
    if (isSeen) this.row(tops[row], height);
  }

  /** @param {number} slot @param {number} start @param {number} end @param {number} weight */
  cover(slot, start, end, weight) {
    const { covered, left } = this;
    const at = slot * this.image.width;
    const right = Math.min(this.right, end);
    const begin = Math.max(left, start);
    const first = Math.floor(begin);
    const last = Math.min(Math.floor(right), this.image.width - 1);
    if (first >= last) {
      if (first < this.image.width) covered[at + first] += weight * Math.max(MIN_COVERAGE, right - begin);
      return;
    }
    covered[at + first] += weight * (first + 1 - begin);
    for (let x = first + 1; x < last; x++) covered[at + x] += weight;
    covered[at + last] += weight * (right - last);
  }

  /** Converts the coverage to the pixels of a row. @param {number} top @param {number} height */
  row(top, height) {
    const { covered, line, striped, image: { width } } = this;
    const palette = /** @type {PixelPalette} */ (this.palette);
    let hasStripes = false;
    for (let x = Math.max(0, this.first); x < this.last; x++) {
      // A pixel at the edge of the clip range is covered only in part.
      const whole = Math.min(x + 1, this.right) - Math.max(x, this.left);
      const waits = palette.shading.isHatched ? covered[WAIT * width + x] : 0;
      striped[x] = waits >= 0.98 * whole && waits > 0 ? 1 : 0;
      if (striped[x]) hasStripes = true;
      line[x] = striped[x] ? palette.words[WAIT] : palette.mix(palette.far, covered, x, width, 1 / Math.max(MIN_COVERAGE, whole), 0);
    }
    covered.fill(0);
    this.put(top, height, hasStripes);
  }

  /** Copies the pixels to all lines of a row. @param {number} top @param {number} height @param {boolean} hasStripes */
  put(top, height, hasStripes) {
    const { pixels, line, striped, image: { width } } = this;
    const tinted = /** @type {PixelPalette} */ (this.palette).tinted;
    const [begin, end] = this.lines(top, height);
    const first = Math.max(0, this.first);
    if (first >= this.last) return;
    const part = line.subarray(first, this.last);
    for (let y = begin; y < end; y++) {
      pixels.set(part, y * width + first);
      if (!hasStripes) continue;
      for (let x = first; x < this.last; x++) if (striped[x] && this.isTint(x, y)) pixels[y * width + x] = tinted;
    }
  }

  /** @param {BinTile} tile @param {number} x @param {number} width @param {Float32Array} tops @param {number} height */
  bins(tile, x, width, tops, height) {
    const bin = (/** @type {number} */ pixel) => Math.max(0, Math.min(BINS - 1, Math.floor(((pixel + 0.5) / this.ratio - x) * (BINS / width))));
    const first = Math.max(0, this.first);
    const places = Int32Array.from({ length: Math.max(0, this.last - first) }, (_, i) => bin(first + i));
    const words = height < STACKED ? /** @type {PixelPalette} */ (this.palette).bins(tile) : null;
    for (let row = 0; row < Math.min(ROWS, tile.rows); row++) {
      if (Number.isNaN(tops[row])) continue;
      if (!words) {
        this.stacks(tile, row, places, tops[row], height);
        continue;
      }
      for (let i = 0; i < places.length; i++) this.line[first + i] = words[row * BINS + places[i]];
      this.put(tops[row], height, false);
    }
  }

  /** Draws stacked kinds. @param {BinTile} tile @param {number} row @param {Int32Array} places @param {number} top @param {number} height */
  stacks(tile, row, places, top, height) {
    const [begin, end, from, lines] = this.lines(top, height);
    const cells = tile.rows * BINS;
    const hidden = /** @type {PixelPalette} */ (this.palette).shading.hiddenKinds;
    for (let i = 0; i < places.length; i++) {
      const cell = row * BINS + places[i];
      this.column(Math.max(0, this.first) + i, from + lines, begin, end, (kind) => ((hidden >> kind) & 1 ? 0 : (tile.shares[kind * cells + cell] * lines) / 255));
    }
  }

  /** Draws a column of stacked kinds from the bottom up. @param {number} x @param {number} bottom @param {number} begin @param {number} end @param {(kind: number) => number} high height of each */
  column(x, bottom, begin, end, high) {
    const { pixels, image: { width } } = this;
    const { words, tinted } = /** @type {PixelPalette} */ (this.palette);
    let [filled, y] = [0, bottom - 1];
    for (const kind of STACK) {
      filled += high(kind);
      const top = Math.max(begin, bottom - filled - 0.5);
      for (; y >= top; y--) {
        if (y < end) pixels[y * width + x] = kind === WAIT && this.isTint(x, y) ? tinted : words[kind];
      }
    }
  }
}
