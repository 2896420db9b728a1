// The machine at one time: states of ranks and messages in flight, drawn on its topology and
// animated.
import { Surface, element, placeholder } from "./chart.js";
import { LABELS, WAIT, faded, hatch } from "./palette.js";
import { coverStates, coverTraffic } from "./scene.js";
import { draw } from "./shape.js";
import { BINS, ROWS, span, stateAt } from "./tiles.js";
import { timestamp } from "./units.js";

/** Upper limit of vertices drawn; more ranks are grouped. */
const MAX_VERTICES = 1024;
/** Seconds in which the animation passes through the time in view. */
const PLAY_SECONDS = 12;

/** The machine at one time. */
export class Topology {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Ranks and messages at one time, drawn on the machine's topology" });
    this.play = element("button", "", { type: "button", "aria-pressed": "false" }, ["Play"]);
    this.slider = element("input", "", { type: "range", min: "0", max: "1000", value: "500", "aria-label": "Time shown" });
    this.text = element("span", "when");
    this.about = element("span", "what", {}, [source.meta.topology.text]);
    this.box = element("div", "topology", {}, [this.surface.canvas, element("div", "player", {}, [this.play, this.slider, this.text, this.about])]);
    this.playing = false;
    this.last = 0;
    this.play.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => {
      const { view } = app;
      view.point(view.from + (view.width * Number(this.slider.value)) / 1000);
    });
    const { lines, ranks } = source.meta;
    this.group = 0;
    while (Math.ceil(lines / 2 ** this.group) > MAX_VERTICES) this.group += 1;
    this.nodes = this.group > 0 ? Math.ceil(lines / 2 ** this.group) : ranks;
    this.drawing = draw(this.group > 0 ? { shape: "circle" } : source.meta.topology, this.nodes);
  }

  toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "Pause" : "Play";
    this.play.setAttribute("aria-pressed", String(this.playing));
    this.last = performance.now();
    this.app.redraw();
  }

  /** Advances the animation, if it is playing. */
  advance() {
    if (!this.playing) return;
    const { view } = this.app;
    const now = performance.now();
    const at = (view.cursor ?? view.from) + (view.width * (now - this.last)) / (1000 * PLAY_SECONDS);
    this.last = now;
    const end = Math.min(view.to, view.span);
    view.point(at >= end || at < view.from ? Math.max(0, view.from) : at);
  }

  get follows() {
    return "cursor";
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view } = this.app;
    if (this.nodes === 0) return placeholder(context, width, height, "No ranks", colours);
    const at = Math.max(0, Math.min(view.span, view.cursor ?? (view.from + view.to) / 2));
    this.slider.value = String(Math.round((1000 * (at - view.from)) / view.width));
    this.text.textContent = timestamp(at, view.width / 1000);
    const size = Math.min(width - 40, 1.9 * (height - 30));
    const place = (/** @type {{x: number, y: number}} */ node) => ({ x: (width - size) / 2 + node.x * size, y: 15 + node.y * (height - 30) });
    const nodes = this.drawing.places.map(place);
    this.drawLinks(context, nodes, this.drawing.inner.map(place));
    const axis = { from: view.from, to: view.to, left: 0, scale: 1000 / view.width };
    this.drawMessages(context, nodes, axis, at);
    this.drawNodes(context, nodes, axis, at, Math.max(2.5, Math.min(15, size / Math.sqrt(this.nodes) / 5)));
    this.advance();
  }

  /** @param {CanvasRenderingContext2D} context @param {{x: number, y: number}[]} nodes @param {{x: number, y: number}[]} inner */
  drawLinks(context, nodes, inner) {
    const all = [...nodes, ...inner];
    context.strokeStyle = this.app.colours.grid;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [from, to] of [...this.drawing.links, ...this.drawing.spokes]) {
      const [one, other] = [all[from], all[to]];
      context.moveTo(one.x, one.y);
      // Wrap-around links of a torus are bent, so that links inside do not hide them.
      const far = Math.hypot(other.x - one.x, other.y - one.y);
      const bend = Math.abs(from - to) > 1 && this.source.meta.topology.shape === "torus" && far > 60 ? 0.1 : 0;
      context.quadraticCurveTo((one.x + other.x) / 2 - bend * (other.y - one.y), (one.y + other.y) / 2 - bend * (other.x - one.x), other.x, other.y);
    }
    context.stroke();
    context.fillStyle = this.app.colours.soft;
    for (const { x, y } of inner) context.fillRect(x - 2, y - 2, 4, 4);
  }

  /** Returns the vertex of a line; helpers are drawn on their ranks. @param {number} line */
  node(line) {
    const { ranks, helperRanks } = this.source.meta;
    return this.group > 0 || line < ranks ? Math.floor(line / 2 ** this.group) : helperRanks[line - ranks] ?? 0;
  }

  /** @param {CanvasRenderingContext2D} context @param {{x: number, y: number}[]} nodes @param {import("./scene.js").Axis} axis @param {number} at */
  drawMessages(context, nodes, axis, at) {
    const { colours } = this.app;
    for (const { tile, from, to } of coverTraffic(this.source, axis)) {
      if (at < from || at >= to) continue;
      const { messages, flows } = tile;
      const bin = Math.floor(((at - tile.base) / (BINS * 2 ** tile.level)) * tile.flowBins);
      for (let i = 0; i < tile.count; i++) {
        if (messages) {
          const sent = messages.sent[i];
          if (at < sent || at >= sent + messages.travel[i]) continue;
          const share = (at - sent) / Math.max(messages.travel[i], 1);
          arrow(context, nodes[this.node(messages.from[i])], nodes[this.node(messages.to[i])], share, 2, colours.message);
        } else if (flows && flows.bin[i] === bin) {
          const size = 2 ** tile.group;
          const middle = (/** @type {number} */ group) => nodes[this.node(Math.min(group * size + (size >> 1), this.source.meta.lines - 1))];
          arrow(context, middle(flows.from[i]), middle(flows.to[i]), -1, Math.min(6, 0.5 + Math.log10(flows.count[i])), colours.message);
        }
      }
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {{x: number, y: number}[]} nodes @param {import("./scene.js").Axis} axis @param {number} at @param {number} radius */
  drawNodes(context, nodes, axis, at, radius) {
    const { colours } = this.app;
    const pattern = hatch(context, colours);
    /** @type {Map<number, ReturnType<typeof coverStates>>} */
    const covers = new Map();
    nodes.forEach(({ x, y }, i) => {
      const tileRow = Math.floor(i / ROWS);
      let parts = covers.get(tileRow);
      if (!parts) covers.set(tileRow, (parts = coverStates(this.source, axis, this.group, tileRow)));
      const part = parts.find(({ from, to }) => at >= from && at < to);
      const kind = part ? kindAt(part.tile, i % ROWS, at) : -1;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = kind < 0 ? colours.idle : kind === WAIT ? pattern : colours.kinds[kind];
      context.fill();
      context.strokeStyle = colours.ink;
      context.lineWidth = 1;
      context.stroke();
      if (radius >= 9) {
        context.textAlign = "center";
        context.lineWidth = 3;
        context.strokeStyle = faded(colours.plot, 0.85);
        context.strokeText(String(i), x, y);
        context.fillStyle = colours.ink;
        context.fillText(String(i), x, y);
        context.textAlign = "left";
      }
    });
    this.surface.canvas.setAttribute("aria-label", `Ranks and messages at ${this.text.textContent}; ${LABELS.join(", ")} by colour`);
  }
}

/** Returns the state kind of a row at a time, or the most frequent in its bin; -1 for none. @param {import("./tiles.js").BinTile | import("./tiles.js").StateTile} tile @param {number} row @param {number} at */
function kindAt(tile, row, at) {
  if (tile.kind === "states") {
    const i = stateAt(tile, row, at, 0);
    return i >= 0 && span(tile, i)[1] >= at ? tile.what[i] : -1;
  }
  const bin = Math.max(0, Math.min(BINS - 1, Math.floor((at - tile.base) / 2 ** tile.level)));
  let [best, most] = [-1, 0];
  for (let kind = 0; kind < 5; kind++) {
    const share = tile.shares[kind * tile.rows * BINS + row * BINS + bin];
    if (share > most) [best, most] = [kind, share];
  }
  return best;
}

/** Draws a message in flight: a line, and a dot at its position. @param {CanvasRenderingContext2D} context @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} share @param {number} width @param {string} colour */
function arrow(context, from, to, share, width, colour) {
  if (!from || !to) return;
  context.strokeStyle = faded(colour, share < 0 ? 0.35 : 0.5);
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  if (share < 0) return;
  context.beginPath();
  context.arc(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, 4, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}
