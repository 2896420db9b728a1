// Renderer without a GPU: states as pixels in an image, lines on a 2D canvas.
import { Raster } from "./raster.js";

/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./shading.js").Shading} Shading */
/**
 * Interface of the renderers. A frame begins, states and bins are drawn, then lines, then it ends.
 * @typedef {object} Renderer
 * @property {string} name
 * @property {(canvas: HTMLCanvasElement, ratio: number, shading: Shading) => void} begin
 * @property {(left: number, right: number) => void} clip restricts states and bins that follow
 * @property {(tile: BinTile, x: number, width: number, tops: Float32Array, height: number) => void} bins
 * @property {(tile: StateTile, from: number, scale: number, tops: Float32Array, height: number, call: number) => void} states
 * @property {(lines: number[], colour: string) => void} lines four coordinates, a width and an alpha per line
 * @property {() => void} end
 */

/** Draws on a 2D canvas. @implements {Renderer} */
export class CanvasRenderer {
  constructor() {
    this.name = "canvas";
    this.raster = new Raster();
    /** @type {CanvasRenderingContext2D | null} */
    this.context = null;
    this.hasPixels = false;
  }

  /** @param {HTMLCanvasElement} canvas @param {number} ratio @param {Shading} shading */
  begin(canvas, ratio, shading) {
    this.context = canvas.getContext("2d");
    this.context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.raster.begin(canvas.width, canvas.height, ratio, shading);
    this.hasPixels = true;
  }

  /** @param {number} left @param {number} right */
  clip(left, right) {
    this.raster.clip(left, right);
  }

  /** @param {BinTile} tile @param {number} x @param {number} width @param {Float32Array} tops @param {number} height */
  bins(tile, x, width, tops, height) {
    this.raster.bins(tile, x, width, tops, height);
  }

  /** @param {StateTile} tile @param {number} from @param {number} scale @param {Float32Array} tops @param {number} height @param {number} call */
  states(tile, from, scale, tops, height, call) {
    this.raster.states(tile, from, scale, tops, height, call);
  }

  /** Copies the pixels to the canvas, once per frame. */
  put() {
    if (this.hasPixels) this.context?.putImageData(this.raster.image, 0, 0);
    this.hasPixels = false;
  }

  /** @param {number[]} lines @param {string} colour */
  lines(lines, colour) {
    this.put();
    const { context } = this;
    if (!context || lines.length === 0) return;
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
    this.put();
  }
}
