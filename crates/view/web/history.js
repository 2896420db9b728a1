// Undo and redo of zooming, panning and scrolling. What is looked at for a moment is remembered.

/** Milliseconds without a change after which a view is remembered. */
const REST = 300;
/** Upper limit of views remembered. */
const MAX_VIEWS = 100;

/** The views looked at, as texts. */
export class Views {
  /** @param {() => string} take returns the current view @param {(view: string) => void} put goes to a view @param {() => void} rested called when the view has not changed for a moment */
  constructor(take, put, rested) {
    this.take = take;
    this.put = put;
    this.rested = rested;
    /** @type {string[]} */
    this.all = [];
    this.place = -1;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Notes that the view may have changed. */
  touch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), REST);
  }

  /** Remembers the current view. */
  rest() {
    clearTimeout(this.timer);
    const now = this.take();
    if (now !== this.all[this.place]) {
      this.all = [...this.all.slice(0, this.place + 1), now].slice(-MAX_VIEWS);
      this.place = this.all.length - 1;
    }
    this.rested();
  }

  /** Goes back by one view, or forward; returns whether there is one. @param {1 | -1} by */
  step(by) {
    this.rest();
    const view = this.all[this.place + by];
    if (view === undefined) return false;
    this.place += by;
    this.put(view);
    this.rested();
    return true;
  }
}
