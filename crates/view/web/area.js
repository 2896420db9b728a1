// Stacked area of state kinds over time, drawn as pixels: one column per pixel.
import { Raster } from "./raster.js";
import { Shading } from "./shading.js";

/** A stacked area of state kinds over time. */
export class Area {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.raster = new Raster();
    /** @type {Shading | null} */
    this.shading = null;
  }

  /**
   * Redraws the area.
   * @param {Float64Array[]} kinds values of each kind, one per pixel
   * @param {number} height
   * @param {number} most value that fills the height
   * @param {import("./palette.js").Palette} colours
   */
  paint(kinds, height, most, colours) {
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [Math.max(1, Math.round(kinds[0].length * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.shading?.colours !== colours) this.shading = new Shading(colours);
    this.raster.begin(wide, high, ratio, this.shading);
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
