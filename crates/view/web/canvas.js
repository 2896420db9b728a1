// Draws states and lines on a 2D canvas, where there is no WebGL2.
import { STACK, WAIT, hatch, rgb } from "./palette.js";
import { BINS, ROWS } from "./tiles.js";

/** Pixels of a stack in a prepared picture. */
const STEPS = 12;

/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./palette.js").Palette} Palette */
/**
 * What both ways of drawing can do.
 * @typedef {object} Renderer
 * @property {string} name
 * @property {(width: number, height: number, ratio: number, colours: Palette) => void} begin
 * @property {(left: number, right: number) => void} clip nothing is drawn outside from now on
 * @property {(tile: BinTile, x: number, width: number, tops: Float32Array, height: number) => void} bins
 * @property {(tile: StateTile, from: number, scale: number, tops: Float32Array, height: number, call: number) => void} states
 * @property {(lines: number[], colour: string) => void} lines four coordinates, a width and an alpha for each line
 * @property {() => void} end
 */

/** Draws on a 2D canvas. @implements {Renderer} */
export class CanvasRenderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.name = "canvas";
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {WeakMap<BinTile, {colours: Palette, stacked: HTMLCanvasElement}>} */
    this.pictures = new WeakMap();
    /** @type {Palette | null} */
    this.colours = null;
    /** @type {(string | CanvasPattern)[]} */
    this.fills = [];
    this.size = [0, 0];
  }

  /** @param {number} width @param {number} height @param {number} ratio @param {Palette} colours */
  begin(width, height, ratio, colours) {
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    this.size = [width, height];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.save();
    this.context.clearRect(0, 0, width, height);
    this.context.imageSmoothingEnabled = false;
    if (this.colours !== colours) {
      this.colours = colours;
      this.fills = colours.kinds.map((colour, kind) => (kind === WAIT ? hatch(this.context, colours) : colour));
    }
  }

  /** @param {number} left @param {number} right */
  clip(left, right) {
    this.context.restore();
    this.context.save();
    this.context.imageSmoothingEnabled = false;
    this.context.beginPath();
    this.context.rect(left, 0, right - left, this.size[1]);
    this.context.clip();
  }

  /** @param {BinTile} tile @param {number} x @param {number} width @param {Float32Array} tops @param {number} height */
  bins(tile, x, width, tops, height) {
    const picture = this.picture(tile);
    // Only what is seen: pictures of which a sliver is seen are many times as wide as the screen.
    const first = Math.max(0, Math.floor((-x / width) * BINS));
    const last = Math.min(BINS, Math.ceil(((this.size[0] - x) / width) * BINS));
    if (last <= first) return;
    const [left, wide] = [x + (first / BINS) * width, ((last - first) / BINS) * width];
    for (let row = 0; row < Math.min(ROWS, tile.rows); row++) {
      if (Number.isNaN(tops[row])) continue;
      this.context.drawImage(picture, first, row * STEPS, last - first, STEPS, left, tops[row], wide, height);
    }
  }

  /** Bins as stacks of colours. @param {BinTile} tile */
  picture(tile) {
    const colours = /** @type {Palette} */ (this.colours);
    const known = this.pictures.get(tile);
    if (known && known.colours === colours) return known.stacked;
    const stacked = document.createElement("canvas");
    [stacked.width, stacked.height] = [BINS, tile.rows * STEPS];
    const context = /** @type {CanvasRenderingContext2D} */ (stacked.getContext("2d"));
    const image = context.createImageData(BINS, tile.rows * STEPS);
    const shades = [...colours.kinds, colours.tint].map((colour) => rgb(colour).map((part) => Math.round(part * 255)));
    for (let row = 0; row < tile.rows; row++) {
      for (let bin = 0; bin < BINS; bin++) stack(tile, row, bin, shades, image);
    }
    context.putImageData(image, 0, 0);
    this.pictures.set(tile, { colours, stacked });
    return stacked;
  }

  /** @param {StateTile} tile @param {number} from @param {number} scale @param {Float32Array} tops @param {number} height @param {number} call */
  states(tile, from, scale, tops, height, call) {
    const begin = (tile.base - from) * scale;
    const step = tile.unit * scale;
    const [{ context }, width] = [this, this.size[0]];
    for (let kind = 0; kind < this.fills.length; kind++) {
      context.fillStyle = this.fills[kind];
      for (let i = 0; i < tile.count; i++) {
        if (tile.what[i] !== kind) continue;
        const [left, right] = [begin + tile.from[i] * step, begin + tile.to[i] * step];
        const top = tops[tile.row[i]];
        if (right < 0 || left > width || Number.isNaN(top)) continue;
        const x = Math.max(left, -1);
        const wide = Math.min(right, width + 1) - x;
        context.globalAlpha = Math.min(1, Math.max(wide, 0.15)) * (call > 0 && tile.call[i] !== call ? 0.16 : 1);
        context.fillRect(x, top, Math.max(wide, 1), height);
      }
    }
    context.globalAlpha = 1;
  }

  /** @param {number[]} lines @param {string} colour */
  lines(lines, colour) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineCap = "butt";
    for (let i = 0; i < lines.length; ) {
      const [width, alpha] = [lines[i + 4], lines[i + 5]];
      context.lineWidth = width;
      context.globalAlpha = alpha;
      context.beginPath();
      for (; i < lines.length && lines[i + 4] === width && lines[i + 5] === alpha; i += 6) {
        context.moveTo(lines[i], lines[i + 1]);
        context.lineTo(lines[i + 2], lines[i + 3]);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  end() {
    this.context.restore();
  }
}

/** @param {BinTile} tile @param {number} row @param {number} bin @param {number[][]} shades @param {ImageData} image */
function stack(tile, row, bin, shades, image) {
  const cells = tile.rows * BINS;
  let filled = 0;
  let step = STEPS - 1;
  for (const kind of STACK) {
    filled += tile.shares[kind * cells + row * BINS + bin] / 255;
    for (; step >= 0 && STEPS - 1 - step < Math.round(filled * STEPS); step--) {
      // Waiting is striped here, too.
      const shade = shades[kind === WAIT && (bin + step) % 4 > 1 ? WAIT + 1 : kind];
      const at = 4 * ((row * STEPS + step) * BINS + bin);
      for (let part = 0; part < 3; part++) image.data[at + part] = shade[part];
      image.data[at + 3] = 255;
    }
  }
}
