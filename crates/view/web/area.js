// How many ranks do what, as a picture with a column for each pixel.
import { Raster } from "./raster.js";

/** A picture of kinds of states over time, one above the other. */
export class Area {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.raster = new Raster();
  }

  /**
   * Draws it anew.
   * @param {Float64Array[]} kinds for each kind its values, one a pixel
   * @param {number} height
   * @param {number} most what would fill all of the height
   * @param {import("./palette.js").Palette} colours
   */
  paint(kinds, height, most, colours) {
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [Math.max(1, Math.round(kinds[0].length * ratio)), Math.max(1, Math.round(height * ratio))];
    this.raster.begin(wide, high, ratio, colours);
    for (let x = 0; x < wide; x++) {
      const sample = Math.min(kinds[0].length - 1, Math.floor(x / ratio));
      this.raster.column(x, high, 0, high, (kind) => (kinds[kind][sample] / most) * high);
    }
    if (this.canvas.width !== wide || this.canvas.height !== high) [this.canvas.width, this.canvas.height] = [wide, high];
    this.canvas.getContext("2d")?.putImageData(this.raster.image, 0, 0);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} left @param {number} top */
  show(context, left, top) {
    const { width, height } = this.canvas;
    const ratio = devicePixelRatio || 1;
    context.drawImage(this.canvas, left, top, width / ratio, height / ratio);
  }
}
