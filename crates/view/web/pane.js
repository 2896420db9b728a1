// One timeline: its heading, its overview strip, and its diagram.
import { Area } from "./area.js";
import { LEFT, RIGHT, Surface, element } from "./chart.js";
import { Diagram } from "./diagram.js";
import { utilisation } from "./gather.js";
import { faded } from "./palette.js";
import { Totals } from "./totals.js";
import { count, time } from "./units.js";

/** Facts in the heading; the statistics list all. */
const HEADING = ["trace", "program", "machine", "network"];

/** Minimum time in milliseconds that a status text is shown during motion. */
const STATUS_DURATION = 250;

/** One timeline. */
export class Pane {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.diagram = new Diagram(app, source);
    this.totals = new Totals(source, () => app.redraw());
    this.strip = new Surface("strip", { role: "img", "aria-label": `Overview of ${source.meta.name}: drag to choose the time in view` });
    this.status = element("span", "status", { role: "status" });
    const children = [this.heading(), this.strip.canvas, this.diagram.box];
    const warning = this.warning();
    if (warning) children.unshift(warning);
    this.box = element("div", "pane", {}, children);
    this.area = new Area();
    /** Parameters the strip was last drawn for, and the version of the tiles if some were missing. */
    this.drawnFor = "";
    this.missingAt = -1;
    this.updatedAt = 0;
    this.listen();
  }

  heading() {
    const { meta } = this.source;
    const facts = meta.facts.filter(([name]) => HEADING.includes(name)).map(([name, value]) => `${name} ${value}`);
    const figures = `${count(meta.ranks)} rank${meta.ranks === 1 ? "" : "s"}, ${count(meta.states)} states, ${count(meta.messages)} messages, ${time(meta.span, 4)}`;
    return element("header", "", {}, [
      element("h2", "", {}, [meta.name]), element("span", "facts", {}, [[figures, ...facts].join(" · ")]), this.status,
    ]);
  }

  /** Describes what is missing, if anything. */
  warning() {
    const { meta } = this.source;
    const texts = [];
    if (meta.damage) texts.push(`Damaged timeline, shown in part: ${meta.damage}`);
    if (typeof meta.finest === "number") {
      texts.push(`This page embeds only an overview, down to bins of ${time(2 ** meta.finest)}: the timeline is too large for one page. Run "panto view ${meta.name}" to see every event.`);
    }
    if (!this.source.hasLines) {
      texts.push(`Ranks are in groups of ${2 ** (meta.base ?? 0)} that cannot be expanded: single ranks do not fit into one page. Run "panto view ${meta.name}" to see each.`);
    }
    if (meta.states + meta.messages === 0) texts.push("This timeline is empty: it has no states and no messages.");
    return texts.length > 0 ? element("p", "warning", { role: "alert" }, [texts.join(" ")]) : null;
  }

  /** Draws; returns whether more frames are needed. */
  draw() {
    const isLeft = this.diagram.draw();
    this.drawStrip();
    return isLeft;
  }

  /** Updates the status text, unless that was done just now; returns whether it is up to date. */
  updateStatus() {
    const { failure, isBusy } = this.source;
    const text = failure ? `Reading failed: ${failure}` : isBusy ? "loading…" : this.diagram.plot.note;
    if (text === this.status.textContent) return true;
    if (performance.now() - this.updatedAt < STATUS_DURATION) return false;
    this.updatedAt = performance.now();
    this.status.textContent = text;
    this.status.classList.toggle("failed", failure !== null);
    return true;
  }

  /** Draws the overview of the whole timeline, with the time in view highlighted. */
  drawStrip() {
    const context = this.strip.begin();
    const { colours, view } = this.app;
    const box = { left: LEFT, right: this.strip.width - RIGHT };
    const samples = Math.max(1, Math.floor(box.right - box.left));
    this.paintStrip(samples);
    this.area.show(context, box.left, 2);
    const x = (/** @type {number} */ at) => box.left + (Math.max(0, Math.min(1, at / view.span)) * (box.right - box.left));
    context.fillStyle = faded(colours.plot, 0.65);
    context.fillRect(box.left, 0, x(view.from) - box.left, this.strip.height);
    context.fillRect(x(view.to), 0, box.right - x(view.to), this.strip.height);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(x(view.from), 0.75, Math.max(2, x(view.to) - x(view.from)), this.strip.height - 1.5);
    context.fillStyle = colours.soft;
    context.textAlign = "right";
    context.fillText("all", LEFT - 8, this.strip.height / 2);
  }

  /** Repaints the overview if its tiles or parameters have changed. @param {number} samples */
  paintStrip(samples) {
    const { source, app } = this;
    const now = [samples, devicePixelRatio, app.colours.plot, app.colours.kinds].join();
    if (now === this.drawnFor && (this.missingAt < 0 || this.missingAt === source.version)) return;
    source.missing = 0;
    const kinds = utilisation(source, 0, app.view.span, samples);
    this.area.paint(kinds, this.strip.height - 4, Math.max(1, source.meta.lines), app.colours);
    this.missingAt = source.missing > 0 ? source.version : -1;
    this.drawnFor = now;
  }

  listen() {
    const { canvas } = this.strip;
    const { view } = this.app;
    const at = (/** @type {PointerEvent} */ event) => ((event.offsetX - LEFT) / Math.max(1, this.strip.width - LEFT - RIGHT)) * view.span;
    /** @type {number | null} */
    let begin = null;
    let moves = false;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      begin = at(event);
      // Dragging inside the time in view moves it; dragging beside it selects anew.
      moves = begin > view.from && begin < view.to && view.width < 0.95 * view.span;
      if (moves) view.centre(begin);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (begin === null) return;
      if (moves) view.centre(at(event));
      else if (Math.abs(at(event) - begin) > view.span * 0.003) view.set(Math.min(begin, at(event)), Math.max(begin, at(event)));
    });
    canvas.addEventListener("pointerup", () => (begin = null));
  }
}
