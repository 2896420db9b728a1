// Mouse control of a diagram: the wheel zooms at the pointer, dragging pans, Shift and dragging
// selects an interval.
import { LEFT } from "./chart.js";
import { Touch } from "./touch.js";

/** Handlers of mouse events on a diagram. */
export class Mouse {
  /** @param {import("./diagram.js").Diagram} diagram */
  constructor(diagram) {
    this.diagram = diagram;
    /** @type {{kind: "pan" | "select", x: number, y: number, from: number, scroll: number, moved: boolean} | null} */
    this.drag = null;
    this.touch = new Touch(diagram);
    this.listen();
  }

  listen() {
    const { canvas } = this.diagram.surface;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("pointerleave", (event) => this.leave(event));
    canvas.addEventListener("dblclick", (event) => this.diagram.app.view.zoom(event.shiftKey ? 4 : 0.25, this.diagram.timeAt(event.offsetX - LEFT)));
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const { view } = this.diagram.app;
    const by = Math.exp(Math.max(-200, Math.min(200, event.deltaY * (event.deltaMode === 1 ? 24 : 1))) / 300);
    // Browsers report a pinch on a trackpad as Ctrl and the wheel, in small steps.
    if (event.ctrlKey) view.zoom(event.deltaMode === 0 && Math.abs(event.deltaY) < 40 ? by ** 3 : by, this.diagram.timeAt(event.offsetX - LEFT));
    else if (event.altKey) this.diagram.zoomRows(1 / by, event.offsetY);
    else if (event.shiftKey) this.diagram.scrollRows(event.deltaY || event.deltaX);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX / this.diagram.plotWidth);
    else view.zoom(by, this.diagram.timeAt(event.offsetX - LEFT));
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    this.touch.down(event);
    if (this.touch.isActive) {
      this.drag = null;
      this.diagram.show(null);
      return;
    }
    const [x, y] = [event.offsetX - LEFT, event.offsetY];
    if (x < 0) {
      const at = this.diagram.rows.at(y);
      if (at) this.diagram.rows.toggle(at.row);
      this.diagram.app.redraw();
      return;
    }
    this.diagram.surface.canvas.setPointerCapture(event.pointerId);
    const kind = event.shiftKey !== this.diagram.app.selects ? "select" : "pan";
    this.drag = { kind, x, y, from: this.diagram.app.view.from, scroll: this.diagram.rows.scroll, moved: false };
    this.diagram.pointer = { x, y };
  }

  /** @param {PointerEvent} event */
  move(event) {
    this.touch.move(event);
    if (this.touch.isActive) return;
    const [x, y] = [event.offsetX - LEFT, event.offsetY];
    this.diagram.pointer = { x, y };
    const { drag } = this;
    if (!drag) {
      this.diagram.point();
      return;
    }
    drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > 3;
    if (drag.kind === "pan" && drag.moved) {
      const { view } = this.diagram.app;
      const from = drag.from - (x - drag.x) / this.diagram.axis.scale;
      this.diagram.rows.scroll = drag.scroll - (y - drag.y);
      view.set(from, from + view.width);
    }
    this.diagram.app.redraw();
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { drag } = this;
    this.drag = null;
    this.touch.up(event);
    if (!drag) return;
    const x = event.offsetX - LEFT;
    if (drag.kind === "select" && drag.moved) {
      this.diagram.app.view.select(this.diagram.timeAt(drag.x), this.diagram.timeAt(x));
    } else if (!drag.moved) {
      this.diagram.app.view.point(this.diagram.timeAt(x));
      this.diagram.point();
      const { found } = this.diagram;
      const isChosen = found && (found.state || found.single);
      this.diagram.app.choose(this.diagram, isChosen ? { state: found.state, message: found.single } : null);
    }
    this.diagram.app.redraw();
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.touch.up(event);
    this.drag = null;
  }

  /** @param {PointerEvent} event */
  leave(event) {
    // A finger leaves after each tap, and what it pointed at stays.
    if (this.drag || event.pointerType === "touch") return;
    this.diagram.pointer = null;
    this.diagram.show(null);
  }
}
