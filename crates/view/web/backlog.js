// Queue of each processor at the time cursor, with its maximum until then: messages that have arrived
// and are not received (figures 5.26 and 5.27 of PUPPET's thesis).
import { LEFT, RIGHT, Surface, placeholder, valueAxis } from "./chart.js";
import { WAIT } from "./palette.js";
import { eachSent } from "./totals.js";
import { brief, time } from "./units.js";

/** Milliseconds that the cursor has to stay before queues are computed. */
const DELAY = 80;
/** Upper limit of columns; more ranks share them in groups, which show the longest queue. */
const MAX_COLUMNS = 1024;

/** The queues of all processors. */
export class Backlog {
  /** @param {import("./diagram.js").App} app @param {import("./source.js").Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.surface = new Surface("fill", { role: "img", "aria-label": "Messages queued at each processor at the time cursor, and the most until then" });
    this.box = this.surface.canvas;
    /** Time asked for, and the answer: time, group, lengths, maximums. */
    this.wanted = NaN;
    /** @type {{at: number, group: number, now: number[], most: number[]} | null} */
    this.found = null;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  get follows() {
    return "cursor";
  }

  /** Whether the queues of another time are being computed. */
  get isBusy() {
    return !Number.isNaN(this.wanted) && this.found?.at !== this.wanted;
  }

  /** @param {number} at */
  ask(at) {
    if (at === this.wanted) return;
    this.wanted = at;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.answer(at).catch(() => (this.found = { at, group: 0, now: [], most: [] })), DELAY);
  }

  /** @param {number} at */
  async answer(at) {
    const { source } = this;
    if (source.isInside) {
      this.found = source.hasAll ? { at, ...counted(source, at) } : { at, group: 0, now: [], most: [] };
    } else {
      const buffer = await source.load(`queues/${BigInt(Math.round(at))}`);
      if (this.wanted !== at) return;
      const [group, now, most] = buffer ? JSON.parse(new TextDecoder().decode(buffer)) : [0, [], []];
      this.found = { at, group, now, most };
    }
    this.app.redraw();
  }

  draw() {
    const context = this.surface.begin();
    const { width, height } = this.surface;
    const { colours, view } = this.app;
    if (this.source.meta.messages === 0) return placeholder(context, width, height, "No messages", colours);
    this.ask(Math.min(this.source.meta.span, view.cursor ?? (view.window.from + view.window.to) / 2));
    const { found } = this;
    if (!found) return placeholder(context, width, height, "Computing…", colours);
    if (found.now.length === 0) return placeholder(context, width, height, `This page does not embed every message; run "panto view ${this.source.meta.name}"`, colours);
    const box = { left: LEFT, right: width - RIGHT, top: 28, bottom: height - 22 };
    const top = found.most.reduce((one, other) => Math.max(one, other), 1);
    const y = valueAxis(context, box, top, brief, colours);
    const step = Math.min(64, (box.right - box.left) / found.now.length);
    const gap = step > 6 ? step * 0.15 : 0;
    const every = Math.max(1, Math.ceil(36 / step));
    found.now.forEach((length, i) => {
      const [x, wide] = [box.left + i * step + gap / 2, Math.max(0.5, step - gap)];
      context.fillStyle = colours.several;
      context.fillRect(x, y(found.most[i]), wide, box.bottom - y(found.most[i]));
      context.fillStyle = colours.kinds[WAIT];
      context.fillRect(x, y(length), wide, box.bottom - y(length));
      context.fillStyle = colours.soft;
      context.textAlign = "center";
      if (i % every === 0) context.fillText(String(i * 2 ** found.group), x + wide / 2, box.bottom + 12);
    });
    context.textAlign = "left";
    this.legend(context, found.at);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} at */
  legend(context, at) {
    const { colours } = this.app;
    let x = LEFT;
    for (const [name, colour] of [[`queued at ${time(at, 5)}`, colours.kinds[WAIT]], ["most until then", colours.several]]) {
      context.fillStyle = colour;
      context.fillRect(x, 8, 12, 12);
      context.fillStyle = colours.ink;
      context.fillText(name, x + 18, 14);
      x += context.measureText(name).width + 40;
    }
  }
}

/** Counts the queues in a page that embeds all messages. @param {import("./source.js").Source} source @param {number} at */
function counted(source, at) {
  const { lines } = source.meta;
  let group = 0;
  while (Math.ceil(lines / 2 ** group) > MAX_COLUMNS) group += 1;
  /** @type {number[][][]} */
  const all = Array.from({ length: lines }, () => [[], []]);
  eachSent(source, 0, at + 1, (messages, i) => {
    const arrived = messages.sent[i] + messages.travel[i];
    if (arrived > at) return;
    all[messages.to[i]][0].push(arrived);
    all[messages.to[i]][1].push(arrived + messages.kept[i]);
  });
  const [now, most] = [0, 1].map(() => Array(Math.ceil(lines / 2 ** group)).fill(0));
  all.forEach(([arrived, received], line) => {
    const [length, longest] = lengths(Float64Array.from(arrived).sort(), Float64Array.from(received).sort(), at);
    const row = Math.floor(line / 2 ** group);
    [now[row], most[row]] = [Math.max(now[row], length), Math.max(most[row], longest)];
  });
  return { group, now, most };
}

/** Returns the length of a queue at a time, and the maximum until then. @param {Float64Array} arrived @param {Float64Array} received @param {number} at */
function lengths(arrived, received, at) {
  let [left, most, gone] = [0, 0, 0];
  arrived.forEach((time, i) => {
    while (left < received.length && received[left] <= time) left += 1;
    most = Math.max(most, i + 1 - left);
  });
  while (gone < received.length && received[gone] <= at) gone += 1;
  return [Math.max(0, arrived.length - gone), most];
}
