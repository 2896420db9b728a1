// The window of time in view. All diagrams of a page share it, so that their zoom is linked.

/** Minimum width of the window, in picoseconds. */
const MIN_WIDTH = 8;

/** The window of time in view. */
export class Viewport {
  /** @param {number} span @param {() => void} changed */
  constructor(span, changed) {
    this.span = Math.max(span, MIN_WIDTH);
    this.changed = changed;
    this.from = 0;
    this.to = this.span;
    /** @type {number | null} */
    this.cursor = null;
    /** Selected interval. @type {{from: number, to: number} | null} */
    this.selection = null;
    this.fit();
  }

  get width() {
    return this.to - this.from;
  }

  /** Shows everything, with a margin. */
  fit() {
    this.set(-0.01 * this.span, 1.01 * this.span);
  }

  /** @param {number} from @param {number} to */
  set(from, to) {
    const most = 1.2 * this.span;
    const width = Math.max(Math.min(MIN_WIDTH, most), Math.min(most, to - from));
    const middle = Math.max(0, Math.min(this.span, (from + to) / 2));
    this.from = middle - width / 2;
    this.to = middle + width / 2;
    this.changed();
  }

  /** Scales the window around a time. @param {number} by @param {number} at */
  zoom(by, at) {
    const most = 1.2 * this.span;
    const width = Math.max(Math.min(MIN_WIDTH, most), Math.min(most, this.width * by));
    const share = (at - this.from) / this.width;
    this.set(at - share * width, at + (1 - share) * width);
  }

  /** Moves the window by a share of its width. @param {number} share */
  pan(share) {
    const by = share * this.width;
    this.set(this.from + by, this.to + by);
  }

  /** @param {number} at @param {number} [width] */
  centre(at, width = this.width) {
    this.set(at - width / 2, at + width / 2);
  }

  /** Selects an interval, or none. @param {number | null} from @param {number} [to] */
  select(from, to = 0) {
    const [begin, end] = [Math.max(0, Math.min(from ?? 0, to)), Math.min(this.span, Math.max(from ?? 0, to))];
    this.selection = from === null || begin >= end ? null : { from: begin, to: end };
    this.changed();
  }

  /** Interval that totals are of: the selection, what is in view, or everything. @returns {import("./totals.js").Scope} */
  get scope() {
    return this.selection ? { name: "selection", ...this.selection } : this.window;
  }

  /** What is in view. @returns {import("./totals.js").Scope} */
  get window() {
    if (this.from <= 0 && this.to >= this.span) return this.everything;
    return { name: "view", from: Math.max(0, this.from), to: Math.min(this.span, this.to) };
  }

  /** @returns {import("./totals.js").Scope} */
  get everything() {
    return { name: "all", from: 0, to: this.span };
  }

  /** Zooms to the selection; returns whether there is one. */
  zoomToSelection() {
    if (!this.selection) return false;
    const { from, to } = this.selection;
    this.set(from - 0.05 * (to - from), to + 0.05 * (to - from));
    return true;
  }

  /** @param {number | null} at */
  point(at) {
    this.cursor = at === null ? null : Math.max(0, Math.min(this.span, at));
    this.changed();
  }
}
