// One timeline: what it is, all of it in a strip, and its diagram.
import { Area } from "./area.js";
import { LEFT, RIGHT, Surface, element } from "./chart.js";
import { Diagram } from "./diagram.js";
import { utilisation } from "./gather.js";
import { faded } from "./palette.js";
import { count, time } from "./units.js";

/** Facts that stand in the heading; all of them are in the statistics. */
const HEADING = ["trace", "program", "machine", "network"];

/** Milliseconds for which a text stands at least while everything moves. */
const SEEN = 250;

/** One timeline. */
export class Pane {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.diagram = new Diagram(app, source);
    this.strip = new Surface("strip", { role: "img", "aria-label": `Overview of ${source.meta.name}: drag to choose the time in view` });
    this.status = element("span", "status", { role: "status" });
    const children = [this.heading(), this.strip.canvas, this.diagram.box];
    const warning = this.warning();
    if (warning) children.unshift(warning);
    this.box = element("div", "pane", {}, children);
    this.area = new Area();
    /** What the strip was drawn for, and the version of the tiles if some were missing. */
    this.drawnFor = "";
    this.lackedAt = -1;
    this.told = 0;
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

  /** What is missing, if anything is. */
  warning() {
    const { meta } = this.source;
    const texts = [];
    if (meta.flaw) texts.push(`Not all of it is here: ${meta.flaw}`);
    if (typeof meta.finest === "number") {
      texts.push(`This page holds the overview only, down to bins of ${time(2 ** meta.finest)}: the timeline is too large for one page. "panto view ${meta.name}" shows every event.`);
    }
    if (!this.source.hasLines) {
      texts.push(`Ranks are in groups of ${2 ** (meta.base ?? 0)}, which cannot be unfolded: there is no room for single ones in one page. "panto view ${meta.name}" shows each.`);
    }
    if (meta.states + meta.messages === 0) texts.push("Nothing happened in this timeline: it has no states and no messages.");
    return texts.length > 0 ? element("p", "warning", { role: "alert" }, [texts.join(" ")]) : null;
  }

  /** Draws it; answers whether there is more to draw. */
  draw() {
    const isLeft = this.diagram.draw();
    this.drawStrip();
    return isLeft;
  }

  /** What is to be said of what is seen, unless that was done just now; answers whether it is said. */
  tell() {
    const { failure, isBusy } = this.source;
    const text = failure ? `Cannot read on: ${failure}` : isBusy ? "loading…" : this.diagram.plot.note;
    if (text === this.status.textContent) return true;
    if (performance.now() - this.told < SEEN) return false;
    this.told = performance.now();
    this.status.textContent = text;
    this.status.classList.toggle("failed", failure !== null);
    return true;
  }

  /** All of the timeline, and what of it is in view. */
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

  /** It changes only with the tiles, so it is not gathered anew for each frame. @param {number} samples */
  paintStrip(samples) {
    const { source, app } = this;
    const now = [samples, devicePixelRatio, app.colours.plot, app.colours.kinds].join();
    if (now === this.drawnFor && (this.lackedAt < 0 || this.lackedAt === source.version)) return;
    source.lacking = 0;
    const kinds = utilisation(source, 0, app.view.span, samples);
    this.area.paint(kinds, this.strip.height - 4, Math.max(1, source.meta.lines), app.colours);
    this.lackedAt = source.lacking > 0 ? source.version : -1;
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
      // Inside of what is in view it is moved, beside it another is drawn.
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
