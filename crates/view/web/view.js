// The window of time that is looked at. All diagrams of a page share it, so that their zoom is linked.

/** No window is narrower, in picoseconds. */
const NARROWEST = 8;

/** The window of time that is looked at. */
export class Viewport {
  /** @param {number} span @param {() => void} changed */
  constructor(span, changed) {
    this.span = Math.max(span, NARROWEST);
    this.changed = changed;
    this.from = 0;
    this.to = this.span;
    /** @type {number | null} */
    this.cursor = null;
    this.fit();
  }

  get width() {
    return this.to - this.from;
  }

  /** Everything, with a little air. */
  fit() {
    this.set(-0.01 * this.span, 1.01 * this.span);
  }

  /** @param {number} from @param {number} to */
  set(from, to) {
    const most = 1.2 * this.span;
    const width = Math.max(Math.min(NARROWEST, most), Math.min(most, to - from));
    const middle = Math.max(0, Math.min(this.span, (from + to) / 2));
    this.from = middle - width / 2;
    this.to = middle + width / 2;
    this.changed();
  }

  /** Makes the window so many times as wide; a moment stays where it is. @param {number} by @param {number} at */
  zoom(by, at) {
    const most = 1.2 * this.span;
    const width = Math.max(Math.min(NARROWEST, most), Math.min(most, this.width * by));
    const share = (at - this.from) / this.width;
    this.set(at - share * width, at + (1 - share) * width);
  }

  /** Moves it by a share of its width. @param {number} share */
  pan(share) {
    const by = share * this.width;
    this.set(this.from + by, this.to + by);
  }

  /** @param {number} at @param {number} [width] */
  centre(at, width = this.width) {
    this.set(at - width / 2, at + width / 2);
  }

  /** @param {number | null} at */
  point(at) {
    this.cursor = at === null ? null : Math.max(0, Math.min(this.span, at));
    this.changed();
  }
}
