// Two fingers on a diagram: moving them apart zooms (time if they are side by side, rows if they are
// one above the other), moving both pans.
import { LEFT } from "./chart.js";

/** @typedef {{x: number, y: number}} Point */

/** Fingers on a diagram. */
export class Touch {
  /** @param {import("./diagram.js").Diagram} diagram */
  constructor(diagram) {
    this.diagram = diagram;
    /** Positions of the fingers, by pointer. @type {Map<number, Point>} */
    this.fingers = new Map();
  }

  /** Whether there are two fingers. */
  get isActive() {
    return this.fingers.size === 2;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.pointerType === "touch" && this.fingers.size < 2) this.fingers.set(event.pointerId, { x: event.offsetX - LEFT, y: event.offsetY });
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.fingers.delete(event.pointerId);
  }

  /** Follows a finger. @param {PointerEvent} event */
  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    const now = { x: event.offsetX - LEFT, y: event.offsetY };
    this.fingers.set(event.pointerId, now);
    if (other) this.transform(before, now, other);
  }

  /** Zooms and pans so that what is under both fingers stays there. @param {Point} before @param {Point} now @param {Point} other */
  transform(before, now, other) {
    const { diagram } = this;
    const { view } = diagram.app;
    const isBeside = Math.abs(before.x - other.x) >= Math.abs(before.y - other.y);
    const at = diagram.timeAt((before.x + other.x) / 2);
    view.pan(-(now.x - before.x) / 2 / diagram.plotWidth);
    diagram.scrollRows(-(now.y - before.y) / 2);
    if (isBeside) view.zoom(limited(Math.abs(before.x - other.x) / Math.max(8, Math.abs(now.x - other.x))), at);
    else diagram.zoomRows(limited(Math.abs(now.y - other.y) / Math.max(8, Math.abs(before.y - other.y))), (now.y + other.y) / 2);
  }
}

/** Limits the zoom of one step. @param {number} by */
function limited(by) {
  return Math.max(0.5, Math.min(2, by));
}
