// Cached images of slices of time: each is drawn once and moves with the view, so that a frame is
// cheap however much there is to see.

/** Width of a slice in pixels: a multiple of the period of stripes, so that these continue in the next slice. */
const WIDTH = 192;
/** Milliseconds per frame for drawing slices, unless all are drawn at once. One is always drawn. */
const BUDGET = 5;
/** All slices are drawn at once if that is expected to take this many milliseconds at most. */
const FAST_ENOUGH = 12;
/** While the zoom changes the last image is stretched: for this many milliseconds, or this many times the cost of a new one. */
const [STRETCH_MIN, STRETCH_FACTOR] = [150, 5];
/** Milliseconds after which a slice with missing tiles is redrawn, if tiles are still being loaded. */
const RETRY_DELAY = 120;

/**
 * What to show, and how. If anything but the start changes, slices are redrawn.
 * @typedef {object} Frame
 * @property {number} from time at the left edge, in picoseconds
 * @property {number} scale pixels per picosecond
 * @property {number} height
 * @property {number} ratio device pixels per pixel
 * @property {string} look identifies rows and colours
 * @property {number} rowHeight
 * @property {number} scroll
 * @property {number} weight number of messages, which decides their opacity
 * @property {number} version changes with the loaded tiles
 * @property {boolean} isBusy whether tiles are being loaded
 */
/** @typedef {{from: number, to: number, left: number, scale: number}} Axis */
/** @typedef {{canvas: HTMLCanvasElement, weight: number, version: number, isIncomplete: boolean, at: number}} Slice */
/** An image of the whole view. @typedef {{canvas: HTMLCanvasElement, frame: Frame}} Picture */

/** The slices of one plot. */
export class Slices {
  /** @param {number} span @param {(canvas: HTMLCanvasElement, axis: Axis, width: number) => boolean} paint draws a window of time; returns whether tiles were missing */
  constructor(span, paint) {
    this.span = span;
    this.paint = paint;
    /** @type {Map<number, Slice>} */
    this.slices = new Map();
    /** @type {HTMLCanvasElement[]} */
    this.spare = [];
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {Picture | null} */
    this.old = null;
    // Times are relative to this one, so that indices of slices stay small.
    this.anchor = 0;
    this.isComplete = false;
    /** Cost of a slice in milliseconds, and the time of the last complete frame. */
    this.cost = 0;
    this.completed = 0;
  }

  /** Discards all slices. */
  clear() {
    this.frame = null;
  }

  /** Composes a frame; returns whether more slices have to be drawn. @param {CanvasRenderingContext2D} context @param {Frame} frame */
  show(context, frame) {
    const { canvas } = context;
    const hasChanged = !this.frame || !isAlike(this.frame, frame);
    if (hasChanged) this.restart(canvas, frame);
    // Slices are placed by the scale they were drawn at, regardless of rounding since.
    const kept = /** @type {Frame} */ (this.frame);
    this.frame = { ...frame, scale: kept.scale };
    const wide = Math.round(WIDTH * frame.ratio);
    const shift = Math.round((frame.from - this.anchor) * kept.scale * frame.ratio);
    const [first, last] = [Math.floor(shift / wide), Math.floor((shift + canvas.width - 1) / wide)];
    const begin = performance.now();
    const { isDone, drawn } = this.fill(first, last, hasChanged);
    this.compose(context, first, last, shift);
    // Canvas drawing may be deferred until the canvas is used, so the cost includes composing.
    if (drawn > 0) this.cost = 0.7 * this.cost + (0.3 * (performance.now() - begin)) / drawn;
    this.forget(first, last);
    return !isDone;
  }

  /** Starts over; the last image is kept to be stretched meanwhile. @param {HTMLCanvasElement} canvas @param {Frame} frame */
  restart(canvas, frame) {
    const before = this.frame;
    const isOfUse = before && before.look === frame.look && before.ratio === frame.ratio && before.height === frame.height;
    if (!isOfUse) this.old = null;
    else if (this.isComplete) this.old = { canvas: copy(canvas, this.old?.canvas), frame: before };
    for (const { canvas } of this.slices.values()) this.spare.push(canvas);
    this.slices.clear();
    this.anchor = frame.from;
    this.frame = frame;
  }

  /** Draws missing slices from first to last, as time permits; returns whether all are there, and how many were drawn. @param {number} first @param {number} last @param {boolean} hasChanged */
  fill(first, last, hasChanged) {
    const begin = performance.now();
    const middle = (first + last) / 2;
    const wanted = range(first, last).filter((place) => !this.isFresh(place, begin));
    wanted.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    const cost = this.cost * wanted.length;
    const isAtOnce = !this.old || cost <= FAST_ENOUGH || (hasChanged && begin - this.completed > Math.max(STRETCH_MIN, STRETCH_FACTOR * cost));
    if (hasChanged && !isAtOnce) return { isDone: false, drawn: 0 };
    let drawn = 0;
    for (const place of wanted) {
      if (drawn > 0 && !isAtOnce && performance.now() - begin > BUDGET) return { isDone: false, drawn };
      this.draw(place);
      drawn += 1;
    }
    this.completed = performance.now();
    // The slices to the left and right come next, before they are needed.
    const next = [last + 1, first - 1].filter((place) => !this.isFresh(place, begin));
    if (drawn > 0 || next.length === 0) return { isDone: next.length === 0, drawn };
    this.draw(next[0]);
    return { isDone: next.length === 1, drawn: 1 };
  }

  /** Returns whether a slice is up to date. @param {number} place @param {number} now */
  isFresh(place, now) {
    const { version, weight, isBusy } = /** @type {Frame} */ (this.frame);
    const slice = this.slices.get(place);
    if (!slice) return this.isEmpty(place);
    if (slice.weight !== weight) return false;
    return !slice.isIncomplete || slice.version === version || (isBusy && now - slice.at < RETRY_DELAY);
  }

  /** Returns whether a slice is before the start or after the end. @param {number} place */
  isEmpty(place) {
    const { from, to } = this.axis(place);
    return to < 0 || from > this.span;
  }

  /** Returns the time axis of a slice. @param {number} place */
  axis(place) {
    const { scale, ratio } = /** @type {Frame} */ (this.frame);
    const width = Math.round(WIDTH * ratio) / (scale * ratio);
    const from = this.anchor + place * width;
    return { from, to: from + width, left: 0, scale };
  }

  /** @param {number} place */
  draw(place) {
    const { weight, version, ratio, height } = /** @type {Frame} */ (this.frame);
    const canvas = this.slices.get(place)?.canvas ?? this.spare.pop() ?? document.createElement("canvas");
    const [wide, high] = [Math.round(WIDTH * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const isIncomplete = this.paint(canvas, this.axis(place), wide / ratio);
    this.slices.set(place, { canvas, weight, version, isIncomplete, at: performance.now() });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} first @param {number} last @param {number} shift */
  compose(context, first, last, shift) {
    const { canvas } = context;
    const { ratio } = /** @type {Frame} */ (this.frame);
    const wide = Math.round(WIDTH * ratio);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = false;
    this.isComplete = true;
    for (let place = first; place <= last; place++) {
      const slice = this.slices.get(place);
      const x = place * wide - shift;
      if (slice) context.drawImage(slice.canvas, x, 0);
      else if (!this.isEmpty(place)) this.stretch(context, x, wide);
    }
  }

  /** Fills a gap with the stretched last image. @param {CanvasRenderingContext2D} context @param {number} x @param {number} width */
  stretch(context, x, width) {
    this.isComplete = false;
    if (!this.old) return;
    const { canvas, frame: before } = this.old;
    const now = /** @type {Frame} */ (this.frame);
    const [across, down] = [now.scale / before.scale, now.rowHeight / before.rowHeight];
    context.save();
    context.beginPath();
    context.rect(x, 0, width, context.canvas.height);
    context.clip();
    context.drawImage(
      canvas, (before.from - now.from) * now.scale * now.ratio, (before.scroll * down - now.scroll) * now.ratio, canvas.width * across, canvas.height * down,
    );
    context.restore();
  }

  /** Discards slices that are further away than the width of the view. @param {number} first @param {number} last */
  forget(first, last) {
    const beside = last - first + 1;
    for (const [place, { canvas }] of this.slices) {
      if (place >= first - beside && place <= last + beside) continue;
      this.slices.delete(place);
      this.spare.push(canvas);
    }
  }
}

/** Returns whether slices of one frame can be used for the other. @param {Frame} one @param {Frame} other */
function isAlike(one, other) {
  return (
    Math.abs(one.scale / other.scale - 1) < 1e-9 && one.look === other.look && one.ratio === other.ratio && one.height === other.height &&
    one.rowHeight === other.rowHeight && one.scroll === other.scroll
  );
}

/** @param {number} first @param {number} last */
function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Copies a canvas, reusing another if given. @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} [target] */
function copy(canvas, target = document.createElement("canvas")) {
  [target.width, target.height] = [canvas.width, canvas.height];
  target.getContext("2d")?.drawImage(canvas, 0, 0);
  return target;
}
